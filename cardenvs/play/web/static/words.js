// Seats, cards and moves in words.

import { SIGNS, SUIT_NAMES, SUITS, cardName, printed, rankName, ranksOf, sign } from "./cards.js";
import { place, seatOf, state } from "./page.js";
import { esc } from "./write.js";

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
/** A sentence begins with a capital, but a name stays as it is. */
export const sentence = (text) => (state.seats.some((seat) => seat.name !== "you" && text.startsWith(seat.name)) ? text : capital(text));
export const count = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

const PLACES = ["", "left", "across", "right"];
/** What a seat is called: a person's name, or a policy and where it sits. */
export function seatName(number) {
  const seat = seatOf(number);
  if (seat.kind === "human" || seat.policy !== undefined || number === state.you) return seat.name;
  return `${seat.name} (${PLACES[place(number)] || "here"})`;
}

/** A seat in running text. */
export const who = (number) => (number === null ? "" : number === state.you && seatOf(number).kind === "human" ? "you" : seatName(number));
export const Who = (number) => (who(number) === "you" ? "You" : who(number));

/** A policy's name in two parts, "hybrid" and "(left)". */
export const parted = (name) => /^(.*) (\([^()]+\))$/s.exec(name)?.slice(1) ?? [name, ""];

/** A seat where there is little room: where it sits, or what it was called. */
export function briefly(number) {
  if (number === state.you) return "You";
  if (seatOf(number).kind === "human") return seatName(number);
  const [name, where] = parted(seatName(number));
  return /^\((left|across|right|south|west|north|east|seat \d+)\)$/.test(where) ? capital(where.slice(1, -1)) : name;
}

/** The two sides in the order in which they are shown, one's own first: [[side, words], [side, words]]; of one side only that has words. */
export function sides() {
  if (state.seats.every((seat) => seat.side === state.seats[0].side)) return [[0, "We"], [1, ""]];
  const us = state.you === null ? 0 : seatOf(state.you).side;
  if (state.you !== null) return [[us, state.seats.length === 2 ? "You" : "We"], [1 - us, state.seats.length === 2 ? seatName(state.seats.find((seat) => seat.side !== us).seat) : "They"]];
  return [0, 1].map((side) => [side, state.seats.filter((seat) => seat.side === side).map((seat) => briefly(seat.seat)).join(" & ")]);
}

export const suitWord = (suit) => SUIT_NAMES[suit].slice(0, -1);
export const isCard = (action) => /^[2-9TJQKA][cdhs]$/.test(action);
export const brief = (card) => printed(card[0]) + SIGNS[card[1]];
export const shortLabel = (action) => (isCard(action) ? brief(action) : capital(action.replaceAll("-", " ")));
/** The card that a label like "10♥" means, or undefined. */
export function cardOf(label) {
  const found = /^(10|[2-9TJQKA])([♣♦♥♠])$/.exec(label ?? "");
  return found ? (found[1] === "10" ? "T" : found[1]) + SUITS.find((suit) => SIGNS[suit] === found[2]) : undefined;
}

const TWINS = { c: "s", s: "c", d: "h", h: "d" };
/** The suit a card counts as: Euchre's left bower is a trump. */
export const suitOf = (card) => (state.game === "euchre" && state.trump && card[0] === "J" && card[1] === TWINS[state.trump] ? state.trump : card[1]);
export const suitOrder = () => (state.trump ? [state.trump, ...SUITS.filter((suit) => suit !== state.trump)] : SUITS);

/** A card in a line of text: for the eye a rank and a coloured sign, for the ear its name. */
export const cardText = (card) =>
  `<span class="suit-${card[1]}" aria-hidden="true">${printed(card[0])}${sign(card[1])}</span><span class="sr">${cardName(card)}</span>`;

/** A move's label in a line of text. */
export const labelText = (label) => (cardOf(label) ? cardText(cardOf(label)) : esc(label));

/** Cards by suit: a line for the eye, "clubs: nine, ten" for the ear. */
export function bySuit(cards, order = SUITS) {
  const lines = order
    .map((suit) => [suit, ranksOf("").filter((rank) => cards.includes(rank + suit)).reverse()])
    .filter(([, ranks]) => ranks.length)
    .map(
      ([suit, ranks]) =>
        `<li class="suit-${suit}"><span aria-hidden="true">${sign(suit)} ${ranks.map(printed).join(" ")}</span>` +
        `<span class="sr">${SUIT_NAMES[suit]}: ${ranks.map(rankName).join(", ")}</span></li>`,
    );
  return lines.length ? `<ul class="suits">${lines.join("")}</ul>` : "<p>none</p>";
}
