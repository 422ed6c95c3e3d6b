(() => {
  'use strict';

  // Unfolds what a link leads to; a filter that hides it is lifted.
  const reveal = () => {
    const id = location.hash.slice(1);
    const target = id && document.getElementById(id);
    if (!target) return;
    const row = target.closest('.row');
    if (row && row.hidden) lift();
    for (let at = target.closest('details'); at; at = at.parentElement.closest('details')) at.open = true;
    const line = row || target;
    line.scrollIntoView({ block: 'start' });
    const summary = row && row.querySelector('summary');
    if (summary) summary.focus({ preventScroll: true });
  };

  let lift = () => {};
  const form = document.getElementById('filters');
  if (form) {
    const rows = [...document.querySelectorAll('#effects .row')];
    const boxes = [...document.querySelectorAll('#map [data-class]')];
    const shown = document.getElementById('shown');
    const texts = new Map();
    const text = (row) => {
      if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase());
      return texts.get(row);
    };
    const chosen = (name) => {
      const inputs = [...form.querySelectorAll(`input[name="${name}"]`)];
      return new Set(inputs.filter((one) => one.checked).map((one) => one.value));
    };
    const fits = (set, word) => set.size === 0 || set.has(word);

    const apply = () => {
      const states = chosen('state');
      const classes = chosen('class');
      const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
      const counts = new Map();
      const count = (key) => counts.set(key, (counts.get(key) || 0) + 1);
      let visible = 0;
      for (const row of rows) {
        const said = words.every((word) => text(row).includes(word));
        const state = fits(states, row.dataset.state);
        const ofClass = fits(classes, row.dataset.class);
        // A count says what its box would show together with the other filters.
        if (said && ofClass) count('state ' + row.dataset.state);
        if (said && state) count('class ' + row.dataset.class);
        row.hidden = !(said && state && ofClass);
        if (!row.hidden) visible += 1;
      }
      for (const input of form.querySelectorAll('.choice input')) {
        const number = counts.get(`${input.name} ${input.value}`) || 0;
        input.parentElement.querySelector('b').textContent = number.toLocaleString('en');
      }
      for (const box of boxes) {
        box.classList.toggle('dim', !(fits(states, box.dataset.state) && fits(classes, box.dataset.class)));
      }
      const all = rows.length.toLocaleString('en');
      shown.textContent = `Showing ${visible.toLocaleString('en')} of ${all} effect${rows.length === 1 ? '' : 's'}`;
    };

    lift = () => {
      form.reset();
      apply();
    };
    form.hidden = false;
    form.addEventListener('input', apply);
    form.addEventListener('submit', (event) => event.preventDefault());
    // The boxes are cleared after the event.
    form.addEventListener('reset', () => setTimeout(apply));
    for (const button of form.querySelectorAll('[data-fold]')) {
      button.addEventListener('click', () => {
        const open = button.dataset.fold === 'open';
        for (const row of rows) if (!row.hidden && row.tagName === 'DETAILS') row.open = open;
      });
    }
    // A browser may keep what was chosen before a reload.
    apply();
  }

  addEventListener('hashchange', reveal);
  // A second click on the same link changes no hash.
  addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="#"]');
    const href = link && link.getAttribute('href');
    if (href && href === location.hash) reveal();
  });
  reveal();
})();
