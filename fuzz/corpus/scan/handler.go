package worker

import (
	"context"
	"database/sql"
	"time"
)

type Worker struct{ db *sql.DB }

func (w *Worker) Register(bus Bus) {
	bus.Subscribe("lead.converted", w.onConverted)
	bus.Subscribe(`raw`, func(ctx context.Context, e Event) error { return w.onConverted(ctx, e) })
}

func (w *Worker) onConverted(ctx context.Context, e Event) error {
	for i, id := range e.IDs {
		if _, err := w.db.ExecContext(ctx, "UPDATE account SET credit = credit + ? WHERE id = ?", i, id); err != nil {
			return err
		}
	}
	switch v := e.Value.(type) {
	case string:
		defer w.log(v, time.Now())
	default:
		go func() { w.log("other", 'x') }()
	}
	return nil
}
