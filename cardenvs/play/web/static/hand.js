// The person's own place: whose turn it is, the bids, the hand in the order of one's choice.

import { cardName, picture, ranksOf, sign } from "./cards.js";
import { drawOffers, drawOwn, plainPrompt } from "./board.js";
import { bar, hintWords, isHinted } from "./hints.js";
import { isPlain, isPoker, mind, mine, narrow, remembered, seatAt, seatOf, state, stepping } from "./page.js";
import { capital, count, suitOf, suitWord, who } from "./words.js";
import { esc, put } from "./write.js";

export function prompt() {
  if (state.deal_over) return state.result?.text ?? "The deal is over";
  const n = state.to_act;
  if (n === null) return "";
  if (seatOf(n).failed) return `${who(n)} has failed`;
  if (n !== state.you || seatOf(n).kind !== "human") return `${who(n)} ${seatOf(n).thinking ? "is thinking …" : "is to act"}`;
  if (state.phase === "ordering") return "Your turn: order up or pass";
  if (state.phase === "calling") return "Your turn: call a suit or pass";
  if (state.phase === "discarding") return "Your turn: discard a card";
  if (isPoker()) return "Your turn: choose a column";
  if (isPlain()) return plainPrompt();
  return state.trick.length ? "Your turn: play a card" : "Your turn: lead a card";
}

/** Why a card or column cannot be chosen now. */
export function whyNot(card) {
  if (state.deal_over || stepping()) return "the deal is over";
  if (state.you === null) return "you are watching";
  if (!mine()) return state.to_act === null ? "wait" : `it is not your turn but that of ${who(state.to_act)}`;
  if (isPlain()) return "that cannot be chosen now";
  if (isPoker()) return "this column is already longer than your shortest one";
  if (state.phase === "ordering" || state.phase === "calling") return "the bidding comes first";
  if (state.trick.length) return `you hold a ${suitWord(suitOf(state.trick[0].card))} and must follow suit`;
  return `the ${cardName(card)} cannot be played`;
}

export const callKey = (action) => {
  const [verb, ...rest] = action.split("-");
  const alone = rest.at(-1) === "alone" ? "Shift+" : "";
  if (verb === "pass") return "P";
  if (verb === "order") return `${alone}O`;
  if (verb === "call") return `${alone}${rest[0][0].toUpperCase()}`;
  return "";
};

export function drawActions() {
  if (isPlain()) {
    drawOffers();
    return;
  }
  const calls = mine() ? state.legal.filter((move) => !move.card && move.column === undefined) : [];
  const button = ({ action, label }, short) => {
    const suit = /^call-(\w)/.exec(action)?.[1];
    const key = remembered.keys ? callKey(action) : "";
    const shortcut = key ? `<kbd aria-hidden="true">${key.replace("Shift+", "⇧")}</kbd>` : "";
    const spoken = key ? ` aria-keyshortcuts="${key}"` : "";
    const named = short || suit || isHinted(action) ? ` aria-label="${esc(label + hintWords(action))}"` : "";
    return (
      `<button type="button" class="call${action === "pass" ? " plain" : ""}" data-action="${esc(action)}" data-key="${esc(action)}"${spoken}${named}>` +
      `<span>${suit && !short ? `<span class="onlight">${sign(suit)}</span>` : ""}${short ? "alone" : esc(capital(label.replace(/^call /, "")))}</span>${shortcut}${bar(action)}</button>`
    );
  };
  // Each call with the same call alone beside it.
  const pairs = calls
    .filter(({ action }) => !action.endsWith("-alone"))
    .map((call) => {
      const alone = calls.find(({ action }) => action === `${call.action}-alone`);
      return `<div class="pair">${button(call, false)}${alone ? button(alone, true) : ""}</div>`;
    });
  put("actions", pairs.length ? `<div class="calls" role="group" aria-label="Bids">${pairs.join("")}</div>` : "");
}

// --- the order of the hand ---

const COLOURS = ["sc", "hd"];

/** Suits in an order in which black and red alternate as far as they can. */
function alternating(suits) {
  const [black, red] = COLOURS.map((pair) => [...pair].filter((suit) => suits.includes(suit)));
  const [more, less] = red.length > black.length ? [red, black] : [black, red];
  return more.flatMap((suit, k) => (k < less.length ? [suit, less[k]] : [suit]));
}

/** Cards in the order of the person's choice; the server sends the trumps first, in each suit the strongest first. */
export function inOrder(cards) {
  if (remembered.sort === "rank") return [...cards].sort((a, b) => ranksOf("").indexOf(b[0]) - ranksOf("").indexOf(a[0]));
  if (remembered.sort !== "suit") return cards;
  const suits = alternating(cards.map(suitOf));
  return [...cards].sort((a, b) => suits.indexOf(suitOf(a)) - suits.indexOf(suitOf(b)));
}

/** Draws the hand at the bottom.
 * @param mark in a position of a finished deal: the card that was played there, and the one that was better
 */
export function drawHand(mark = {}) {
  if (isPlain()) {
    drawOwn();
    return;
  }
  const still = state.you === null || state.deal_over || stepping(); // shown, not played from
  const held = still ? state.hands?.[seatAt(0)] : state.hand;
  if (isPoker() || !held || !held.length) {
    put("hand", "");
    return;
  }
  const open = inOrder(held);
  const style = narrow.matches ? "jumbo" : "card";
  const fan = `fan n${open.length > 6 ? "many" : "few"} h${open.length}`;
  if (still) {
    const whose = state.you === null ? `Hand of ${who(seatAt(0))}` : stepping() ? "Your hand" : "Your hand as dealt";
    const told = (card) => (card === mark.played ? " played" : card === mark.better ? " better" : "");
    put(
      "hand",
      `<div class="${fan}" role="group" aria-label="${esc(`${whose}: ${open.map(cardName).join(", ")}`)}">` +
        `${open.map((card) => `<span class="held${told(card)}" data-card="${card}" data-key="card-${card}">${picture(card, style)}</span>`).join("")}</div>`,
    );
    return;
  }
  const legal = new Map((mine() ? state.legal : []).filter((move) => move.card).map((move) => [move.card, move]));
  mind.picked = Math.min(mind.picked, open.length - 1);
  if (legal.size && !legal.has(open[mind.picked])) mind.picked = open.findIndex((card) => legal.has(card));
  const cards = open.map((card, k) => {
    const may = legal.has(card);
    const about = legal.size ? (may ? (state.phase === "discarding" ? ", can be discarded" : ", playable") : ", not playable") : "";
    const action = legal.get(card)?.action ?? card;
    const taken = state.phase === "discarding" && card === state.turned ? ", taken up" : "";
    return (
      `<button type="button" class="held${may ? " legal" : legal.size ? " dim" : ""}" data-action="${esc(action)}" data-card="${card}" data-key="card-${card}"` +
      ` tabindex="${k === mind.picked ? 0 : -1}"${may ? "" : ' aria-disabled="true"'} aria-label="${esc(cardName(card) + taken + about + hintWords(action))}">` +
      `${picture(card, style)}${bar(action)}</button>`
    );
  });
  put("hand", `<div class="${fan}" role="toolbar" aria-label="Your hand, ${count(open.length, "card")}">${cards.join("")}</div>`);
}
