// Readouts: what can be concluded from the cards seen, as far as one wants to be told.

import { SUIT_NAMES, printed, rankName, ranksOf, sign } from "./cards.js";
import { isPoker, remembered, state } from "./page.js";
import { Who, bySuit, count, suitOrder } from "./words.js";
import { esc, put } from "./write.js";

const SWITCHES = [
  ["seen", "Seen cards"],
  ["could", "What each seat can hold"],
  ["voids", "Shown voids"],
  ["trumps", "Remaining trumps"],
];

export function drawReadouts() {
  const poker = isPoker();
  const choices = poker ? [["seen", "Seen and unseen cards"]] : SWITCHES.filter(([key]) => key !== "could" || state.you !== null);
  put(
    "switches",
    choices
      .map(([key, label]) => `<label class="switch"><input type="checkbox" data-readout="${key}" data-key="switch-${key}"${remembered[key] ? " checked" : ""}> ${label}</label>`)
      .join(""),
  );
  const data = state.readouts;
  if (!data) {
    put("readouts", "<p>Not for those who watch a table with people.</p>");
    return;
  }
  const parts = [];
  const nobody = '<p class="small">nothing yet</p>';
  if (remembered.seen) {
    const seen = new Set(data.seen);
    const order = suitOrder();
    const rows = order.map((suit) => {
      const cells = ranksOf(state.game).map((rank) => `<span class="${seen.has(rank + suit) ? "gone" : "left"}">${printed(rank)}</span>`);
      const spoken = ranksOf(state.game).filter((rank) => seen.has(rank + suit)).map(rankName);
      return `<li class="suit-${suit}"><span aria-hidden="true">${sign(suit)}${cells.join("")}</span><span class="sr">${SUIT_NAMES[suit]} seen: ${spoken.join(", ") || "none"}</span></li>`;
    });
    parts.push(`<h3>Seen cards</h3><p class="small">Seen ones are struck out.</p><ul class="grid${state.game === "euchre" ? " wide" : ""}">${rows.join("")}</ul>`);
  }
  if (!poker && remembered.could && state.you !== null) {
    const rows = Object.entries(data.could_hold ?? {}).map(
      ([n, cards]) => `<h4>${esc(Who(Number(n)))}</h4>${bySuit(cards, suitOrder())}`,
    );
    parts.push(`<h3>Can hold</h3>${rows.join("") || nobody}`);
  }
  if (!poker && remembered.voids) {
    const rows = Object.entries(data.voids ?? {})
      .filter(([, suits]) => suits.length)
      .map(
        ([n, suits]) =>
          `<li>${esc(Who(Number(n)))}: no ${suits.map((suit) => `<span class="suit-${suit}">${sign(suit)}</span> ${SUIT_NAMES[suit]}`).join(", ")}</li>`,
      );
    parts.push(`<h3>Shown voids</h3>${rows.length ? `<ul>${rows.join("")}</ul>` : nobody}`);
  }
  if (!poker && remembered.trumps) {
    const left = data.trumps_left;
    parts.push(`<h3>Remaining trumps</h3>${left && state.trump ? `<p class="small">${count(left.length, "trump")} not seen</p>${bySuit(left, suitOrder())}` : '<p class="small">no trump yet</p>'}`);
  }
  put("readouts", parts.join(""));
}
