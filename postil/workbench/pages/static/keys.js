// Which keys are meant for the page: those pressed by themselves, where nobody is writing.
// They are passed on as "page-key" events; who makes use of one calls preventDefault.

const FIELDS = "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]";

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || event.repeat || event.altKey) return;
  if (event.target.closest?.(FIELDS)) return;
  let key = event.key;
  if (event.ctrlKey || event.metaKey) {
    if (key.toLowerCase() !== "z" || event.shiftKey) return;
    key = "u"; // what undoes everywhere undoes here
  }
  const heard = new CustomEvent("page-key", { detail: key, bubbles: true, cancelable: true });
  if (!event.target.dispatchEvent(heard)) event.preventDefault();
});
