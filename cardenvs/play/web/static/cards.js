// Cards drawn as SVG symbols, once per page: every card on the table is a <use> of one of them.
// Colours come from play.css, so that a dark page can have quieter cards.

import { root } from "./page.js";
import { esc } from "./write.js";

export const SUITS = ["c", "d", "h", "s"];
export const SUIT_NAMES = { c: "clubs", d: "diamonds", h: "hearts", s: "spades" };
export const SIGNS = { c: "♣", d: "♦", h: "♥", s: "♠" };
const RANK_NAMES = {
  2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine",
  T: "ten", J: "jack", Q: "queen", K: "king", A: "ace",
};
const RANKS = "23456789TJQKA";

/** The ranks of a game's deck, lowest first. */
export const ranksOf = (game) => [...(game === "euchre" ? RANKS.slice(7) : RANKS)];

/** "9c" -> "nine of clubs". */
export const cardName = (card) => `${RANK_NAMES[card[0]]} of ${SUIT_NAMES[card[1]]}`;

/** How a rank is printed: "T" -> "10". */
export const printed = (rank) => (rank === "T" ? "10" : rank);

export const rankName = (rank) => RANK_NAMES[rank];

/** A card's picture, of no height of its own: CSS sizes `.card`.
 * @param card the card, null for one face down
 * @param style "card"; "small" for little pictures, of which the top is seen; "jumbo" for cards of which the left side is seen
 */
export function picture(card, style = "card") {
  const id = card ? `${style}-${card}` : "card-back";
  return `<svg class="card" viewBox="0 0 100 140" aria-hidden="true" focusable="false"><use href="#${id}"/></svg>`;
}

/** What a card is called. */
export const nameOf = (card) => (card === null ? "a card face down" : card.card ? cardName(card.card) : card.name);

/** A card of any pack, null for one face down: one that is not of the pack of 52 as what is printed on it. */
export function drawnCard(card, style = "small") {
  if (!card?.card && !card?.name) return picture(null);
  if (card.card) return picture(card.card, style);
  return card.sign ? `<span class="face tint-${esc(card.tint)}"><span>${esc(card.sign)}</span></span>` : worded(card.name);
}

/** A word where there is little room: of a long one the beginning and the end. */
export const shortWord = (word, most) => (word.length > most ? `${word.slice(0, most - 3)}…${word.slice(-2)}` : word);

const pen = document.createElement("canvas").getContext("2d");

/** A card of another pack: a line for each word of its name, as large as the longest one allows. */
function worded(name) {
  const words = name.split(" ").map((word) => shortWord(word, 9));
  pen.font = `700 100px ${getComputedStyle(root).getPropertyValue("--print")}`;
  const size = Math.min(30, 108 / words.length, ...words.map((word) => 8800 / pen.measureText(word).width));
  const top = 70 - 0.6 * size * (words.length - 1);
  const lines = words.map((word, k) => `<text x="50" y="${(top + (1.2 * k + 0.35) * size).toFixed(1)}">${esc(word)}</text>`);
  return (
    '<svg class="card worded" viewBox="0 0 100 140" aria-hidden="true" focusable="false"><rect x="1" y="1" width="98" height="138" rx="9" class="sheet"/>' +
    `<g font-size="${size.toFixed(1)}" text-anchor="middle">${lines.join("")}</g></svg>`
  );
}

/** A suit's sign as a picture. */
export function sign(suit) {
  return `<svg class="sign suit-${suit}" viewBox="-50 -50 100 100" aria-hidden="true" focusable="false"><use href="#suit-${suit}"/></svg>`;
}

// Suit signs in a square of 100 around the origin.
const SHAPES = {
  c: '<circle cy="-23" r="21.5"/><circle cx="-23" cy="9" r="21.5"/><circle cx="23" cy="9" r="21.5"/>' +
    '<path d="M-9-8h18L5 12C6 30 10 40 18 46h-36C-10 40-6 30-5 12Z"/>',
  d: '<path d="M0-48C9-29 22-13 37 0 22 13 9 29 0 48-9 29-22 13-37 0-22-13-9-29 0-48Z"/>',
  h: '<path d="M0 45C-9 28-44 9-44-17c0-15 11-26 24-26 9 0 16 5 20 14 4-9 11-14 20-14 13 0 24 11 24 26C44 9 9 28 0 45Z"/>',
  s: '<path d="M0-47C10-27 43-9 43 14c0 13-10 22-21 22-7 0-13-3-17-8 1 9 5 15 12 19h-34c7-4 11-10 12-19-4 5-10 8-17 8C-33 36-43 27-43 14-43-9-10-27 0-47Z"/>',
};

const at = (suit, x, y, size, turned = false) =>
  `<use href="#suit-${suit}" transform="translate(${x} ${y}) scale(${size / 100})${turned ? " rotate(180)" : ""}"/>`;

// Where the pips lie: [column -1..1, height 0 (top) to 1]; those in the lower half stand on their heads.
const PIPS = {
  2: [[0, 0], [0, 1]],
  3: [[0, 0], [0, 0.5], [0, 1]],
  4: [[-1, 0], [1, 0], [-1, 1], [1, 1]],
  5: [[-1, 0], [1, 0], [0, 0.5], [-1, 1], [1, 1]],
  6: [[-1, 0], [1, 0], [-1, 0.5], [1, 0.5], [-1, 1], [1, 1]],
  7: [[-1, 0], [1, 0], [0, 0.25], [-1, 0.5], [1, 0.5], [-1, 1], [1, 1]],
  8: [[-1, 0], [1, 0], [0, 0.25], [-1, 0.5], [1, 0.5], [0, 0.75], [-1, 1], [1, 1]],
  9: [[-1, 0], [1, 0], [-1, 0.33], [1, 0.33], [0, 0.5], [-1, 0.67], [1, 0.67], [-1, 1], [1, 1]],
  T: [[-1, 0], [1, 0], [0, 0.17], [-1, 0.33], [1, 0.33], [-1, 0.67], [1, 0.67], [0, 0.83], [-1, 1], [1, 1]],
};

// The upper half of a court card's figure, between x 27 and 73, down to the middle at y 70.
const HEAD = '<ellipse cx="50" cy="46" rx="9.5" ry="11.5" class="skin"/>';
const FACE =
  '<path d="M45.4 45.2v1.6M54.6 45.2v1.6" class="line" stroke-width="1.7"/><path d="M47.4 52.2q2.6 1.6 5.2 0" class="line" stroke-width="1.2"/>';
const ROBE = '<path d="M27 70.2c1-8 8-12.5 15-13.7L50 61l8-4.5c7 1.2 14 5.7 15 13.7Z"/>';
const FIGURES = {
  J: '<path d="M37.5 56c-2-8-1.5-15 1-19h23c2.5 4 3 11 1 19l-4 1c2-6 1-12-1-16h-15c-2 4-3 10-1 16Z" class="gold"/>' + HEAD + ROBE + FACE +
    '<path d="M36 39c-1-8 5-13 15-13 9 0 14 5 13 13-8-3-20-3-28 0Z"/><path d="M60 30c5-4 8-8 8-13-6 1-10 5-11 11Z" class="gold"/>' +
    '<path d="M35.5 40c9-4 20-4 29 0" class="trim"/>',
  Q: '<path d="M36 62c-4-10-4-22 3-29h22c7 7 7 19 3 29l-7-2c3-7 3-13 1-18-5-2-11-2-16 0-2 5-2 11 1 18Z" class="gold"/>' + HEAD + ROBE + FACE +
    '<path d="M38 36l-2-11 7 4 2-7 5 5 5-5 2 7 7-4-2 11c-8-2.5-16-2.5-24 0Z"/><circle cx="36" cy="24" r="1.8" class="gold"/>' +
    '<circle cx="45" cy="21" r="1.8" class="gold"/><circle cx="55" cy="21" r="1.8" class="gold"/><circle cx="64" cy="24" r="1.8" class="gold"/>',
  K: '<path d="M39 42c0 14 3 20 11 21 8-1 11-7 11-21l-3-3H42Z" class="beard"/>' + HEAD +
    '<path d="M40.5 49c2 3 6 1.5 9.5 0 3.5 1.5 7.5 3 9.5 0 0 8-4 12-9.5 12s-9.5-4-9.5-12Z" class="beard"/>' + ROBE +
    '<path d="M45.4 45.2v1.6M54.6 45.2v1.6" class="line" stroke-width="1.7"/>' +
    '<path d="M37 38l-3-14 9 5 7-8 7 8 9-5-3 14Z" class="gold"/><path d="M37 38c8-3 18-3 26 0l.6-3c-9-3-18-3-27.2 0Z"/><path d="M50 23v-6M47.5 19.5h5" class="trim"/>',
};

function centre(rank, suit) {
  if (rank === "A") return `<circle cx="50" cy="70" r="30" class="halo"/>${at(suit, 50, 70, 46)}`;
  if (FIGURES[rank]) {
    const half = `<g>${FIGURES[rank]}<path d="M43 57l7 8 7-8" class="trim"/></g>`;
    return (
      `<rect x="26" y="14" width="48" height="112" rx="5" class="halo"/>${half}<g transform="rotate(180 50 70)">${half}</g>` +
      `<path d="M26 70h48" class="seam"/><rect x="26" y="14" width="48" height="112" rx="5" class="frame"/>`
    );
  }
  return PIPS[rank].map(([x, y]) => at(suit, 50 + 16 * x, 29 + 82 * y, 18, y > 0.5)).join("");
}

const text = (rank, x, y, size) =>
  `<text x="${x}" y="${y}" font-size="${size}" text-anchor="middle"${rank === "T" ? ` textLength="${size * 0.86}" lengthAdjust="spacingAndGlyphs"` : ""}>${printed(rank)}</text>`;

function symbols(rank, suit) {
  const sheet = '<rect x="1" y="1" width="98" height="138" rx="9" class="sheet"/>';
  const corner = text(rank, 13.5, 25, 24) + at(suit, 13.5, 37, 17);
  // A small card has no room for pips: a big corner, in sight when cards overlap, and a big sign.
  const big = text(rank, 25, 38, 43) + at(suit, 76, 23, 32) + at(suit, 50, 91, 72);
  // A card in a fan on a phone: rank and suit one above the other at the left, where they are seen.
  const jumbo = text(rank, 24, 40, 44) + at(suit, 23, 66, 33) + at(suit, 66, 97, 58);
  return (
    `<symbol id="card-${rank}${suit}" viewBox="0 0 100 140" class="suit-${suit}">${sheet}${corner}` +
    `<g transform="rotate(180 50 70)">${corner}</g>${centre(rank, suit)}</symbol>` +
    `<symbol id="small-${rank}${suit}" viewBox="0 0 100 140" class="suit-${suit}">${sheet}${big}</symbol>` +
    `<symbol id="jumbo-${rank}${suit}" viewBox="0 0 100 140" class="suit-${suit}">${sheet}${jumbo}</symbol>`
  );
}

/** Puts the pictures of all cards into the page. */
export function install() {
  const shapes = SUITS.map((suit) => `<g id="suit-${suit}">${SHAPES[suit]}</g>`).join("");
  const cards = SUITS.flatMap((suit) => [...RANKS].map((rank) => symbols(rank, suit))).join("");
  const back =
    '<pattern id="lattice" width="14" height="14" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">' +
    '<path d="M0 0h14v14" class="weave"/><circle cx="7" cy="7" r="1.7" class="stud"/></pattern>' +
    '<symbol id="card-back" viewBox="0 0 100 140"><rect x="1" y="1" width="98" height="138" rx="9" class="sheet"/>' +
    '<rect x="7" y="7" width="86" height="126" rx="5" class="cloth"/><rect x="7" y="7" width="86" height="126" rx="5" fill="url(#lattice)"/></symbol>';
  const holder = document.createElement("div");
  holder.className = "sprite";
  holder.setAttribute("aria-hidden", "true");
  holder.innerHTML = `<svg width="0" height="0"><defs>${shapes}${cards}${back}</defs></svg>`;
  document.body.prepend(holder);
}
