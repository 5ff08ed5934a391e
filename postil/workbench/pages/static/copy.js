// What is shown once is easy to take away: a click selects all of it, and a button copies it.

const shown = document.querySelector("[data-once]");
const button = document.querySelector("[data-copy]");
const told = document.querySelector("[data-copied]");

// The clipboard of today is there only on this computer and behind TLS; the old way also works in a school's network.
async function copy(input) {
  input.select();
  if (navigator.clipboard) return navigator.clipboard.writeText(input.value);
  if (!document.execCommand("copy")) throw new Error("not copied");
}

shown?.addEventListener("focus", () => shown.select());
if (shown && button) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await copy(shown);
      button.textContent = "Copied";
      told.textContent = "Copied.";
    } catch {
      shown.focus();
      told.textContent = "Press Ctrl+C to copy it.";
    }
  });
}
