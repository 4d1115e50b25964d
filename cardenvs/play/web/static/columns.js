// Five-O's columns.

import { cardName, picture } from "./cards.js";
import { bar, hintWords } from "./hints.js";
import { isPoker, mind, mine, seatAt, state, stepping } from "./page.js";
import { who } from "./words.js";
import { esc, put } from "./write.js";

function stack(cards) {
  const slots = [];
  for (let row = 0; row < 5; row++) {
    slots.push(
      row < cards.length
        ? `<span class="slot">${picture(cards[row], cards[row] ? "small" : "card")}</span>`
        : '<span class="slot empty"></span>',
    );
  }
  return slots.join("");
}

const columnWords = (cards) =>
  cards.length ? cards.map((card) => (card ? cardName(card) : "a card face down")).join(", ") : "empty";

/** Draws the columns.
 * @param mark in a position of a finished deal: whose move it is, the column chosen there, and the better one
 */
export function drawBoards(mark = {}) {
  if (!isPoker()) {
    put("board-0", "");
    put("board-2", "");
    return;
  }
  const { columns, card, results, names } = state.five_o;
  const bottom = seatAt(0);
  const top = seatAt(2);
  const legal = new Map((mine() ? state.legal : []).map((move) => [move.column, move]));
  const still = state.you === null || state.deal_over || stepping();
  const toBoard = (number, own) =>
    columns[number].map((cards, k) => {
      const result = results?.[k];
      const won = result ? (result.winner === number ? " won" : result.winner === null ? " tied" : " lost") : "";
      const name = result?.hands[number] ?? names?.[number][k] ?? "";
      const rank = `<span class="rank">${result?.winner === number ? "★ " : ""}${esc(name)}</span>`;
      const label = `Column ${k + 1}: ${columnWords(cards)}${name ? `; ${name}` : ""}`;
      const told = mark.seat !== number ? "" : k === mark.played ? " played" : k === mark.better ? " better" : "";
      if (!own || still) {
        return `<div class="column${won}${told}" role="group" aria-label="${esc(label + (result ? `, ${won.trim()}` : ""))}">${stack(cards)}${rank}</div>`;
      }
      const may = legal.has(k);
      const action = legal.get(k)?.action ?? `column-${k + 1}`;
      const about = legal.size ? (may ? `; key ${k + 1} puts the ${cardName(card)} here` : "; too long for now") : "";
      return (
        `<button type="button" class="column${may ? " legal" : legal.size ? " dim" : ""}" id="column-${k + 1}" data-action="${action}" data-key="${action}"` +
        ` data-column="${k}" tabindex="${k === mind.picked ? 0 : -1}"${may ? "" : ' aria-disabled="true"'} aria-label="${esc(label + about + hintWords(action))}">` +
        `${stack(cards)}${rank}<span class="foot"><span class="digit" aria-hidden="true">${k + 1}</span>${bar(action)}</span></button>`
      );
    });
  mind.picked = Math.min(mind.picked, 4);
  if (legal.size && !legal.has(mind.picked)) mind.picked = Math.min(...legal.keys());
  put("board-2", `<div class="board" role="group" aria-label="${esc(`Columns of ${who(top)}`)}">${toBoard(top, false).join("")}</div>`);
  put(
    "board-0",
    `<div class="board own" role="${still ? "group" : "toolbar"}" aria-label="${esc(state.you === null ? `Columns of ${who(bottom)}` : "Your columns")}">${toBoard(bottom, true).join("")}</div>`,
  );
}
