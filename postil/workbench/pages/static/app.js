// What every page needs beyond forms and htmx.

// The page behind a one-time link sends its only form itself.
document.querySelector("form[data-send-at-once]")?.requestSubmit();

// A file that is too large is refused before it is sent.
document.addEventListener("change", (event) => {
  const input = event.target;
  if (!(input instanceof HTMLInputElement) || input.type !== "file" || !input.dataset.limit) return;
  const limit = Number(input.dataset.limit);
  const size = input.files?.[0]?.size ?? 0;
  const megabytes = (bytes) => Math.round(bytes / 2 ** 20);
  const words = `This file is ${megabytes(size)} MB; the limit is ${megabytes(limit)} MB.`;
  input.setCustomValidity(size > limit ? words : "");
  input.reportValidity();
});

// A form that was sent is not sent a second time by an impatient click; one that only asks for a file may be.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post" || form.hasAttribute("hx-post")) return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "yes";
});
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

// What somebody chose, or a browser filled in again, before htmx listened is told to it as soon as it does.
const filledIn = (field) => {
  if (field instanceof HTMLSelectElement) {
    const drawn = [...field.options].findIndex((option) => option.defaultSelected);
    return field.selectedIndex !== Math.max(drawn, 0);
  }
  if (["checkbox", "radio"].includes(field.type)) return field.checked !== field.defaultChecked;
  return field.type !== "file" && field.value !== field.defaultValue;
};
document.addEventListener("DOMContentLoaded", () => {
  for (const listener of document.querySelectorAll("[hx-trigger*=change]")) {
    const field = [...listener.querySelectorAll("select, input")].find(filledIn);
    field?.dispatchEvent(new Event("change", {bubbles: true}));
  }
});

// A file can be dropped anywhere on the form that asks for one; the field then holds it as if it had been chosen.
const dropped = (event) =>
  event.dataTransfer?.types.includes("Files") && event.target.closest?.("form")?.querySelector("input[type=file]");
document.addEventListener("dragover", (event) => {
  if (dropped(event)) event.preventDefault();
});
document.addEventListener("drop", (event) => {
  const field = dropped(event);
  if (!field || event.dataTransfer.files.length !== 1) return;
  event.preventDefault();
  field.files = event.dataTransfer.files;
  field.dispatchEvent(new Event("change", {bubbles: true}));
});
