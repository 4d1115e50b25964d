// A plain table, for games that have no picture of their own: piles of cards, numbers and names by their owners; options as
// buttons and as cards.

import { behindPart, behindWords, chosenMoves, hasMovesAtCards } from "./behind.js";
import { drawnCard, nameOf, picture } from "./cards.js";
import { bar, hintWords } from "./hints.js";
import { $, isPlain, isTricks, mine, place, remembered, state } from "./page.js";
import { briefly, capital, count, who, Who } from "./words.js";
import { esc, put } from "./write.js";

/** The options by the cards that they choose: "pile name" -> moves. */
function byCard() {
  const found = new Map();
  for (const move of mine() ? state.legal : []) {
    if (!move.at) continue;
    const [pile, place] = move.at;
    const key = `${pile} ${state.board.piles[pile].cards[place].name}`;
    found.set(key, [...(found.get(key) ?? []), move]);
  }
  return found;
}

/** The options that digits choose: those of the card that was clicked, else all that have buttons of their own. */
export const keyed = () => (chosenMoves().length ? chosenMoves() : offers());

/** The options that have buttons of their own: all but those that lie at a card or are the only one of a card. */
function offers() {
  const legal = mine() ? state.legal.filter((move) => !move.on) : [];
  const alone = new Set([...byCard().values()].filter((moves) => moves.length === 1).flat());
  return legal.filter((move) => !alone.has(move));
}

/** A card of a pile; one that can be chosen is a button. */
function cardPart(card, number, key, moves) {
  const name = nameOf(card);
  const known = card && isTricks() ? ` data-card="${esc(card.name)}"` : "";
  if (!moves) return `<span class="lies" data-key="${key}"${known}>${drawnCard(card)}<span class="sr">${esc(name)}</span></span>`;
  const [move] = moves;
  const single = moves.length === 1;
  const does = single ? `data-action="${esc(move.action)}"` : `data-do="choices" data-of="${esc(`${number} ${card.name}`)}"`;
  const label = single ? move.label : `${name}: ${count(moves.length, "option")}`;
  return (
    `<button type="button" class="lies pick" data-pick ${does} data-key="${key}"${known} aria-label="${esc(label + (single ? hintWords(move.action) : ""))}" title="${esc(label)}">` +
    `${drawnCard(card)}${single ? bar(move.action) : ""}</button>`
  );
}

function pilePart(pile, number, choices) {
  if (pile.notes) return behindPart(pile, number);
  const hidden = pile.cards.filter((card) => card === null).length;
  const drawn = pile.ordered ? pile.cards : pile.cards.filter((card) => card !== null);
  const shown = hidden === pile.cards.length ? [] : drawn;
  const cards = shown.map((card, k) => cardPart(card, number, `${number}-${k}`, card && choices.get(`${number} ${card.name}`)));
  const unseen = shown.includes(null) ? 0 : hidden;
  if (unseen) cards.push(`<span class="lies" data-key="back">${picture(null)}<span class="many">${count(unseen, "card")} face down</span></span>`);
  const dense = shown.length > 5 && shown.every((card) => card?.card) && !(pile.owner === "player" && pile.number === state.you) ? " dense" : "";
  const signed = shown.some((card) => card?.sign) ? " signed" : "";
  const top = pile.ordered && shown.length > 1 ? ' <span class="small">the last on top</span>' : "";
  return (
    `<div class="pile" role="group" data-key="pile-${number}" aria-label="${esc(`${pile.name}, ${count(pile.cards.length, "card")}`)}">` +
    `<span class="of"><b>${esc(pile.name)}</b>${top}</span><span class="laid${dense}${signed}">${cards.join("") || '<span class="small">empty</span>'}</span></div>`
  );
}

/** How a pile is shown: its cards; in games of tricks it may lie in the middle, or be no more than a number of cards. */
function shownAs(pile, number, choices) {
  if (!isTricks()) return "cards";
  if (pile.shown === "trick" || !pile.cards.length) return "";
  if (pile.cards.some((card) => card && choices.has(`${number} ${card.name}`))) return "cards";
  return pile.shown === "number" || pile.cards.every((card) => card === null) ? "number" : "cards";
}

const valueText = (value) => (value === null ? "hidden" : value === "" ? "–" : String(value));

function ownedPart(owner, number, choices) {
  const own = (one) => one.owner === owner && one.number === number;
  const of = (as) => state.board.piles.map((pile, k) => [pile, k]).filter(([pile, k]) => own(pile) && shownAs(pile, k, choices) === as);
  const piles = of("cards").map(([pile, k]) => pilePart(pile, k, choices)).join("");
  const tally = (text, value, kind = "") => `<span class="tally${kind}"><span class="small">${esc(text)}</span> <b>${esc(value)}</b></span>`;
  const tallies = [
    ...of("number").map(([pile]) => tally(`${pile.name}:`, count(pile.cards.length, "card"), " whole")),
    ...state.board.tallies.filter(own).map((one) => tally(one.name, valueText(one.value))),
  ].join("");
  return piles + (tallies ? `<div class="tallies" data-key="tallies">${tallies}</div>` : "");
}

/** The seats of a game in tricks, by where they are drawn: what each has but the trick, which lies in the middle. */
export function drawnSeats() {
  const shown = ["", "", "", ""];
  for (const seat of around().filter(({ seat }) => state.you === null || seat !== state.you)) {
    const acting = state.to_act === seat.seat && !state.deal_over;
    const body = ownedPart("player", seat.seat, new Map());
    shown[place(seat.seat)] +=
      `<section class="owner${acting ? " acting" : ""}" data-key="seat-${seat.seat}" data-seat="${seat.seat}"><h3>${seatHead(seat)}</h3>${body}</section>`;
  }
  return shown;
}

/** What belongs to no seat in a game in tricks: the game's own and the teams'. */
export function drawnCommon() {
  const choices = byCard();
  const table = ownedPart("game", 0, choices);
  const teams = state.board.teams.map((members, k) => {
    const body = ownedPart("team", k, choices);
    return body && `<b class="small">${esc(members.map(who).join(", "))}</b>${body}`;
  });
  return [table, ...teams].filter(Boolean);
}

function seatHead(seat) {
  const tags = [];
  const team = state.board.teams.findIndex((members) => members.includes(seat.seat));
  if (team >= 0 && state.board.teams.length > 1) tags.push(`<span class="tag">team ${team}</span>`);
  if (seat.connected === false) tags.push('<span class="tag away">away</span>');
  if (seat.failed) tags.push('<span class="tag bad">failed</span>');
  const acting = state.to_act === seat.seat && !state.deal_over;
  const waits = acting && seat.seat !== state.you && !seat.failed ? `<span class="think">${seat.thinking ? "thinking …" : "to act"}</span>` : "";
  const number = Who(seat.seat).includes(`(seat ${seat.seat})`) ? "" : ` <span class="small">seat ${seat.seat}</span>`;
  return `<span class="name"><b title="${esc(seat.policy ?? seat.name)}">${esc(Who(seat.seat))}</b>${number}${tags.join("")}${waits}</span>`;
}

function group(key, head, body, acting, seat) {
  return `<section class="owner${acting ? " acting" : ""}" data-key="${key}"${seat === undefined ? "" : ` data-seat="${seat}"`}><h3>${head}</h3>${body}</section>`;
}

/** The seats from the viewer's left on; the viewer's own last. */
function around() {
  const n = state.seats.length;
  const first = (state.you ?? n - 1) + 1;
  return Array.from({ length: n }, (_, k) => state.seats[(first + k) % n]);
}

/** Draws all that lies on the table but the viewer's own. */
export function drawPlain() {
  if (!isPlain() || isTricks()) {
    put("plain", "");
    return;
  }
  if (!state.board) {
    put("plain", `<pre class="drawing" tabindex="0" role="group" aria-label="The table">${esc(state.drawing ?? "")}</pre>`);
    return;
  }
  const choices = byCard();
  const table = ownedPart("game", 0, choices);
  const teams = state.board.teams.map((members, k) => {
    const body = ownedPart("team", k, choices);
    return body && group(`team-${k}`, `<span class="name"><b>Team ${k}</b> <span class="small">${esc(members.map(who).join(", "))}</span></span>`, body);
  });
  const seats = around()
    .filter((seat) => seat.seat !== state.you)
    .map((seat) => group(`seat-${seat.seat}`, seatHead(seat), ownedPart("player", seat.seat, choices), state.to_act === seat.seat));
  const told = state.board.last ? `<p class="latest" data-key="latest"><span class="small">Last move</span> ${esc(state.board.last)}</p>` : "";
  put("plain", (table ? group("game", "The table", table + told) : "") + teams.join("") + seats.join(""));
  const box = $("plain");
  box.tabIndex = box.scrollHeight > box.clientHeight ? 0 : -1;
}

/** Draws what the viewer has, where other games have the hand. */
export function drawOwn() {
  if (state.you === null || !state.board) {
    put("hand", "");
    return;
  }
  const seat = state.seats[state.you];
  put("hand", group("own", seatHead(seat), ownedPart("player", state.you, byCard()), state.to_act === state.you, state.you));
}

/** Draws the options that are no cards to click. */
export function drawOffers() {
  const given = offers();
  const keys = remembered.keys && given.length < 10;
  const buttons = given.map(({ action, label, at }, k) => {
    const of = at ? ` data-of="${esc(`${at[0]} ${state.board.piles[at[0]].cards[at[1]].name}`)}"` : "";
    const spoken = keys ? ` aria-keyshortcuts="${k + 1}"` : "";
    return (
      `<button type="button" class="call" data-action="${esc(action)}" data-key="${esc(action)}"${of}${spoken} aria-label="${esc(label + hintWords(action))}">` +
      `<span>${esc(capital(label))}</span>${keys ? `<kbd aria-hidden="true">${k + 1}</kbd>` : ""}${bar(action)}</button>`
    );
  });
  put("actions", buttons.length ? `<div class="calls" role="group" aria-label="Options">${buttons.join("")}</div>` : "");
}

/** What the person is asked. */
export const plainPrompt = () => {
  const cards = byCard().size > 0;
  const chosen = state.board?.chosen ?? [];
  if (hasMovesAtCards()) return "Your turn: choose a card";
  if (chosen.length) return `Your turn: go on choosing; so far ${chosen.join("; ")}`;
  return `Your turn: ${cards ? (offers().length ? "choose a card or an option" : "choose a card") : "choose an option"}`;
};

/** Goes to the options of a card that has several. */
export function showChoices(button) {
  [...document.querySelectorAll("#actions button")].find((one) => one.dataset.of === button.dataset.of)?.focus();
}

/** The ranks at the end of a deal. */
export function rankingPart() {
  const ranked = state.result?.ranking ?? [];
  if (!ranked.length) return "";
  const rows = ranked.map(({ side, name, points, rank }) => `<tr data-key="${side}"><td>${rank}</td><th scope="row">${esc(name)}</th><td>${points}</td></tr>`);
  const least = state.board?.least ? ' <span class="small">the least wins</span>' : "";
  return `<table><thead><tr><th scope="col">Rank</th><td></td><th scope="col">Points${least}</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

/** The points of the deals that were played at the table. */
export function sheetPart(sheet) {
  const seats = (side) => state.seats.filter((seat) => seat.side === side).map((seat) => briefly(seat.seat));
  const heads = sheet.sides.map((name, side) => `<th scope="col" title="${esc(name)}">${esc(seats(side).join(" & ") || name)}</th>`).join("");
  const rows = sheet.deals.map(({ number, points }) => `<tr data-key="${number}"><th scope="row">${number}</th>${points.map((one) => `<td>${one}</td>`).join("")}</tr>`);
  const total = sheet.total.map((one) => `<td>${one}</td>`).join("");
  return (
    `<table class="sheet"><caption class="sr">Score sheet</caption><thead><tr><th scope="col">Deal</th>${heads}</tr></thead>` +
    `<tbody>${rows.join("")}</tbody><tfoot><tr><th scope="row">Sum</th>${total}</tr></tfoot></table>`
  );
}

/** Where the game stands, for the ear. */
export function plainStand() {
  if (!state.board) return [];
  return state.board.piles
    .filter((pile) => pile.cards.length)
    .map((pile) => {
      const whose = pile.owner === "player" ? `${who(pile.number)}, ` : pile.owner === "team" ? `team ${pile.number}, ` : "";
      if (pile.notes) return `${whose}${pile.name}: ${behindWords(pile)}`;
      const seen = pile.cards.filter((card) => card !== null).map(nameOf);
      const hidden = pile.cards.length - seen.length;
      return `${whose}${pile.name}: ${[...seen, ...(hidden ? [`${count(hidden, "card")} face down`] : [])].join(", ")}`;
    });
}
