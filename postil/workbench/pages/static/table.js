// The table's page: filters apply by themselves, rows open by a click, and progress is told sparingly.

for (const button of document.querySelectorAll("[data-without-script]")) button.hidden = true;

const said = document.getElementById("said");

/** Tell a screen reader how far the job is, but only when that has changed. */
function tell() {
  const words = document.getElementById("job")?.dataset.said;
  if (said && words && said.textContent !== words) said.textContent = words;
}

document.addEventListener("htmx:afterSettle", tell);
setTimeout(tell, 500); // a region that speaks at once is not heard

document.addEventListener("click", (event) => {
  const row = event.target.closest("table.answers tbody tr");
  if (!row || event.target.closest("a, button, input, label, summary")) return;
  if (getSelection()?.toString()) return; // somebody marks words to copy
  row.querySelector("a[href]")?.click();
});
