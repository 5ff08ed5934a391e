// The first labels by keys: 1 to 5 choose for the answer at hand and go on to the next.

const answers = [...document.querySelectorAll("#start .start-answer")];
const send = document.querySelector("button[form=start]");
const radios = (answer) => [...answer.querySelectorAll("input[type=radio]")];
const isLabelled = (answer) => radios(answer).some((radio) => radio.checked);

/** The answer that keys are for: the one with the focus, else the first without a label. */
function atHand() {
  const focused = document.activeElement?.closest(".start-answer");
  return focused ?? answers.find((answer) => !isLabelled(answer)) ?? answers[0];
}

/** Make an answer the one at hand. */
function show(answer) {
  answer.focus({ preventScroll: true });
  answer.scrollIntoView({ block: "nearest" });
}

document.addEventListener("page-key", (event) => {
  if (!answers.length) return;
  const key = event.detail;
  const answer = atHand();
  const place = answers.indexOf(answer);
  const onRadio = event.target instanceof HTMLInputElement; // where arrows choose
  if (/^[1-5]$/.test(key)) {
    radios(answer)[Number(key) - 1].checked = true;
    const following = answers[place + 1] ?? answers.find((one) => !isLabelled(one));
    if (following) show(following);
    else send.focus();
    event.preventDefault();
  } else if ((key === "ArrowDown" || key === "ArrowUp") && !onRadio) {
    const following = answers[place + (key === "ArrowDown" ? 1 : -1)];
    if (following) show(following);
    event.preventDefault();
  }
});

const first = answers.find((answer) => !isLabelled(answer));
if (first) first.focus({ preventScroll: true });
