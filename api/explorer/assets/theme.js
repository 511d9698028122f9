// Before anything is drawn: the look that was chosen here; without a choice the system's.
const chosen = localStorage.getItem('cairn-theme')
if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.theme = chosen
