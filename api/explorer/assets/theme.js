// Runs before the first paint: applies the reader's choice, if there is one, in place of the system's theme.
const chosen = localStorage.getItem('cairn-theme')
if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.theme = chosen
