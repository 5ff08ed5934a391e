// Review by keys: every control that has one says which in data-key; a key does what a click would do.

const OWN_ENTER = "a, button, summary";
let busy = false; // between a decision and the next page, further keys are for nobody

/** Press the control that has this key; says whether there was one. */
function press(key) {
  const control = document.querySelector(`#review [data-key="${CSS.escape(key)}"]`);
  if (!control || control.disabled) return false;
  busy = control.type !== "checkbox"; // a tick stays on the page
  control.click();
  return true;
}

/** Show or hide the list of keys. */
function showKeys() {
  const keys = document.getElementById("keys");
  if (!keys) return;
  keys.open = !keys.open;
  if (keys.open) keys.scrollIntoView({ block: "nearest" });
}

/** Whether arrows move words in a drawing that is wider than the screen, rather than to the next answer. */
function scrolls(event) {
  const box = event.target.closest(".drawing");
  return box && event.detail.startsWith("Arrow") && box.scrollWidth > box.clientWidth;
}

document.addEventListener("page-key", (event) => {
  if (busy || scrolls(event)) return;
  if (event.detail === "Enter" && event.target.closest(OWN_ENTER)) return;
  if (event.detail === "?") showKeys();
  else if (!press(event.detail)) return;
  event.preventDefault();
});

// An answer says an item or its opposite: of the two boxes of an item, the one ticked last counts.
document.addEventListener("change", (event) => {
  if (!event.target.matches?.('.facets input[name="tick"]:checked')) return;
  for (const box of event.target.closest("li").querySelectorAll('input[name="tick"]')) {
    if (box !== event.target) box.checked = false;
  }
}, true);

// The browser's way back shows the page as it was left.
addEventListener("pageshow", () => { busy = false; });
