// Hands that their owners see from behind: each card with what its owner knows of it, and what can be done at a card.

import { drawnCard, nameOf } from "./cards.js";
import { bar, hintWords } from "./hints.js";
import { mind, mine, remembered, state } from "./page.js";
import { capital, count, who } from "./words.js";
import { esc } from "./write.js";

const keyOf = (pile, place) => `${pile} ${place}`;

/** What can be done at a card, by "pile place". */
function atCards() {
  const found = new Map();
  for (const move of mine() ? state.legal : []) {
    for (const [pile, place] of move.on ?? []) found.set(keyOf(pile, place), [...(found.get(keyOf(pile, place)) ?? []), move]);
  }
  return found;
}

/** What can be done at the card that was clicked. */
export const chosenMoves = () => (mind.chosen && atCards().get(mind.chosen)) || [];

/** Whether anything that the person can do lies at a card. */
export const hasMovesAtCards = () => mine() && state.legal.some((move) => move.on);

/** What the owner of a card knows, for the ear. */
function known(note, own) {
  const told = note.told ? `told ${note.told.name}` : "nothing told";
  return `${told}, can be ${own ? note.best_words : note.words}`;
}

/** A card from behind, with what its owner has been told of it. */
const fromBehind = (note) =>
  `<span class="face behind${note.told?.tint ? ` tint-${esc(note.told.tint)}` : ""}"><span>${note.told ? esc(note.told.sign) : "?"}</span></span>`;

/** A card's place in the hand, its label and its notes.
 * @param choices what can be done at each card
 * @param own whether the viewer holds the hand
 * @param turned whether the hand is shown as its owner sees it
 */
function cardPart(pile, number, place, choices, own, turned) {
  const card = turned ? null : pile.cards[place];
  const note = pile.notes[place];
  const key = keyOf(number, place);
  const moves = choices.get(key) ?? [];
  const touched = pile.touched.includes(place);
  const label = `card ${place + 1}, ${card ? `${nameOf(card)}, ${who(pile.number)} ` : ""}${known(note, own)}${touched ? ", touched by the last hint" : ""}`;
  const drawn = card ? drawnCard(card) : fromBehind(note);
  const body =
    !own && moves.length
      ? `<button type="button" class="pick" data-pick data-do="card" data-card-at="${key}" data-key="pick" aria-expanded="${mind.chosen === key}" aria-label="${esc(`${label}: ${count(moves.length, "option")}`)}">${drawn}</button>`
      : `${drawn}<span class="sr">${esc(label)}</span>`;
  const told = card && note.told ? `<b>${esc(note.told.sign)}</b>` : "";
  const lines = (own ? note.best : note.lines).map((line) => `<span>${esc(line)}</span>`).join("");
  const acts = own
    ? moves.map(
        (move) =>
          `<button type="button" class="act" data-pick data-action="${esc(move.action)}" data-key="${esc(move.action)}" aria-label="${esc(move.label + hintWords(move.action))}">${esc(capital(move.short))}${bar(move.action)}</button>`,
      )
    : [];
  const mark = touched ? '<span class="mark" aria-hidden="true">★</span>' : "";
  return (
    `<li class="noted${touched ? " touched" : ""}" data-key="${key}"><span class="shown">${body}${mark}</span>` +
    `<span class="note" aria-hidden="true">${told}${lines}</span>${acts.join("")}</li>`
  );
}

/** The options of the card that was clicked, with the cards that each is about. */
function choicesPart(number) {
  const moves = chosenMoves();
  if (!moves.length || mind.chosen.split(" ")[0] !== String(number)) return "";
  const buttons = moves.map((move, k) => {
    const cards = move.on.map(([, place]) => place + 1);
    const about = `${cards.length === 1 ? "card" : "cards"} ${cards.join(", ")}`;
    const key = remembered.keys ? `<kbd aria-hidden="true">${k + 1}</kbd>` : "";
    return (
      `<button type="button" class="call" data-action="${esc(move.action)}" data-key="${esc(move.action)}"${remembered.keys ? ` aria-keyshortcuts="${k + 1}"` : ""} aria-label="${esc(`${move.label}, ${about}${hintWords(move.action)}`)}">` +
      `<span>${esc(capital(move.short))} <small>${about}</small></span>${key}${bar(move.action)}</button>`
    );
  });
  return `<div class="calls" role="group" aria-label="Options of the card" data-key="choices">${buttons.join("")}</div>`;
}

/** A hand that its owner sees from behind. */
export function behindPart(pile, number) {
  const own = pile.owner === "player" && pile.number === state.you;
  const turned = mind.turned.has(number) && !own;
  const choices = atCards();
  const cards = pile.cards.map((_, place) => cardPart(pile, number, place, choices, own, turned));
  const seen = pile.cards.some((card) => card !== null);
  const turn =
    seen && !own
      ? `<button type="button" class="quiet turn" data-do="turned" data-pile="${number}" data-key="turn" aria-pressed="${turned}" aria-label="${esc(`Show the ${pile.name} as ${who(pile.number)} sees it`)}">Their view</button>`
      : "";
  return (
    `<div class="pile behind-hand" role="group" data-key="pile-${number}" aria-label="${esc(`${pile.name}, ${count(pile.cards.length, "card")}, the oldest first`)}">` +
    `${turn}<ol class="notes n${pile.cards.length > 5 ? "many" : "few"}">${cards.join("")}</ol>${choicesPart(number)}</div>`
  );
}

/** A hand in words: each card with what its owner knows of it. */
export const behindWords = (pile) => {
  const own = pile.owner === "player" && pile.number === state.you;
  return pile.cards.map((card, k) => `card ${k + 1} ${card ? `${card.name}, ` : ""}${known(pile.notes[k], own)}`).join("; ");
};
