// Before the page is drawn, so that it does not flash in the other colours.
try {
  const chosen = localStorage.getItem("tacho-theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch { /* no storage: as the system wants it */ }
