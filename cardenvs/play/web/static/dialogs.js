// The dialogs: the menu, who plays, settings, help, and the question before a running deal is given up.

import { $, directs, isPlain, isTricks, known, live, mayControl, remember, remembered, root, redraw, rules } from "./page.js";
import { seatName, sides } from "./words.js";
import { esc, fill } from "./write.js";

export function open(id) {
  if (!live) return;
  document.querySelectorAll("dialog[open]").forEach((dialog) => dialog.close());
  if (id === "seats") drawSeatForms();
  if (id === "help") drawHelp();
  if (id === "settings") drawSettings();
  if (id === "rules") {
    $("rules-title").textContent = `Rules of ${live.title}`;
    $("rules-text").textContent = rules;
  }
  if (id === "name") $("own-name").value = live.seats[live.you]?.given ?? remembered.name;
  if (id === "menu") {
    const free = new Set(["help", "rules", "settings", "name"]);
    document.querySelectorAll("#menu .list button").forEach((button) => (button.disabled = !mayControl() && !free.has(button.dataset.open)));
    document.querySelector("#menu [data-open=rules]").hidden = !rules;
    document.querySelector("#menu [data-open=name]").hidden = live.you === null || live.seats[live.you].kind !== "human";
  }
  $(id).showModal();
}

function drawSeatForms() {
  fill($("policies"), ["human", ...known].map((name) => `<option value="${esc(name)}">`).join(""));
  fill(
    $("seat-forms"),
    live.seats
      .map((seat) => {
        const where = seat.seat === live.you ? "you" : seatName(seat.seat);
        return (
          `<form class="seat-form" data-seat="${seat.seat}"><label for="policy-${seat.seat}">Seat ${seat.seat}: ${esc(where)}</label>` +
          `<div class="row"><input id="policy-${seat.seat}" list="policies" required value="${esc(seat.kind === "human" ? "human" : (seat.policy ?? seat.name))}" spellcheck="false" autocapitalize="off"><button>Change</button></div></form>`
        );
      })
      .join(""),
  );
}

// --- a running deal is not given up by a slip ---

/** Whether something would be lost by another deal: "deal", "game" (new ones only) or "". */
function lost(fresh) {
  if (live.can?.deal_running ?? (!live.deal_over && live.log?.length > 0)) return "deal";
  return fresh && live.can?.game_running ? "game" : "";
}

let then = null;

/** Does something that ends the deal at once, or asks first if that is running.
 * @param label what the button says: "New deal"
 * @param fresh whether a game's score is given up as well
 */
export function askFirst(label, fresh, go) {
  const what = lost(fresh);
  if (!what) {
    go();
    return;
  }
  then = go;
  const [us, them] = sides().map(([side]) => side);
  const stands = fresh && live.can?.game_running && live.score ? `The game stands at ${live.score[us]} to ${live.score[them]} and would be given up.` : "";
  $("ask-title").textContent = `${label}?`;
  $("ask-text").textContent =
    (what === "deal" ? "This deal is not over; what has been played of it would be given up. " : "") + stands;
  $("ask-yes").textContent = label;
  open("ask");
}

$("ask").addEventListener("close", () => {
  const go = then;
  then = null;
  if ($("ask").returnValue === "yes") go?.();
  $("ask").returnValue = "";
});

// --- settings ---

function drawSettings() {
  for (const input of $("settings").querySelectorAll("input")) {
    input.checked = input.type === "checkbox" ? remembered[input.name] : remembered[input.name] === input.value;
  }
}

/** Has the page look as this device remembers it. */
export function applySettings() {
  root.dataset.deck = remembered.deck;
}

$("settings").addEventListener("change", ({ target }) => {
  remember(target.name, target.type === "checkbox" ? target.checked : target.value);
  applySettings();
  redraw();
});

// --- help ---

const KEYS = {
  plain: [
    ["1 to 9", "the option with that number on its button"],
    ["← →", "move among the cards that can be chosen; Enter or Space chooses the card"],
  ],
  trick: [
    ["← →", "move in the hand; Enter or Space plays the card"],
    ["9 C", "a card by its rank and suit: 2 to 9, T or 0, J Q K A, then C D H S"],
    ["L", "the last trick"],
  ],
  euchre: [
    ["P", "pass"],
    ["O", "order up, Shift+O alone"],
    ["C D H S", "call clubs, diamonds, hearts, spades; with Shift alone"],
  ],
  "five-o": [
    ["1 to 5", "put the card into that column"],
    ["← →", "move between the columns; Enter or Space puts the card there"],
  ],
  all: [
    ["G", "go to your hand"],
    ["I", "ask for a hint"],
    ["U", "take your last move back, against policies"],
    ["H", "the history, where it is not beside the table"],
    ["W", "say where the game stands"],
    ["N", "after a deal: the next or a new one"],
    ["← →", "while stepping through a finished deal: a move back and on; with Shift a trick; Escape ends it"],
    ["M", "menu"],
    ["?", "this help"],
  ],
  watch: [
    ["B", "pause and go on"],
    [".", "step"],
  ],
};

function drawHelp() {
  const rows = [
    ...(isTricks() ? [...KEYS.plain, KEYS.trick.at(-1)] : isPlain() ? KEYS.plain : live.five_o ? KEYS["five-o"] : KEYS.trick),
    ...(live.game === "euchre" ? KEYS.euchre : []),
    ...KEYS.all,
    ...(directs() ? KEYS.watch : []),
  ];
  fill(
    $("help-text"),
    `<table><caption class="sr">Keys</caption><tbody>${rows.map(([key, does]) => `<tr><th scope="row"><kbd>${key}</kbd></th><td>${esc(does)}</td></tr>`).join("")}</tbody></table>` +
      "<p>Cards you may play stand out; choose one by a click or a key. " + (isPlain() ? "" : "The numbers in a trick say in which order it was played, the ringed card is winning. ") + "Under <i>Hints</i> a policy of your choice shows what it thinks of each move.</p>",
  );
}
