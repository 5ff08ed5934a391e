// Labelling in a round: counts the seconds that an answer is really looked at, and lets keys reach the note.

const form = document.querySelector(".round .choices");
const note = document.getElementById("note");
let looked = 0; // milliseconds before the page was last hidden
let since = document.hidden ? null : performance.now();

/** How long the page has been in sight. */
function inSight() {
  return looked + (since === null ? 0 : performance.now() - since);
}

document.addEventListener("visibilitychange", () => {
  looked = inSight();
  since = document.hidden ? null : performance.now();
});

form?.addEventListener("submit", () => {
  form.elements.seconds.value = (inSight() / 1000).toFixed(1);
});

document.addEventListener("page-key", (event) => {
  if (event.detail !== "n" || !note) return;
  note.focus();
  event.preventDefault();
});

note?.addEventListener("keydown", (event) => {
  if (event.key === "Escape") note.blur();
});
