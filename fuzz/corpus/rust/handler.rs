//! Handlers.
use sqlx::PgPool;

mod inner {
    pub trait Send { async fn send(&self, to: &str) -> Result<(), Error>; }
}

pub struct Worker<'a, T: inner::Send> { pool: &'a PgPool, mail: T }

impl<T: inner::Send> Worker<'_, T> {
    #[tracing::instrument]
    pub async fn on_converted(&self, event: Event) -> Result<(), Error> {
        let Some(id) = event.id else { return Ok(()) };
        sqlx::query("INSERT INTO account (id, made) VALUES ($1, now()) ON CONFLICT DO NOTHING")
            .bind(id)
            .execute(self.pool)
            .await?;
        match event.kind {
            Kind::Mail { ref to, .. } if !to.is_empty() => self.mail.send(to).await?,
            _ => tokio::spawn(async move { println!("{}", r#"raw "text""#) }).await?,
        }
        Ok(())
    }
}
