// The page of a card table: draws the states that the server sends, and sends what the person does.
//
// Everything is drawn from the last state; nothing is worked out here that the rules decide. For tests and scripts,
// document.documentElement.dataset.version is the version of the state that is drawn.

import { SIGNS, SUITS, SUIT_NAMES, cardName, install, picture, printed, rankName, ranksOf, sign } from "./cards.js";

const $ = (id) => document.getElementById(id);
const root = document.documentElement;

let state = null;
let socket = null;
let hint = null; // the last answer: {policy, kind, values: Map, version}
let asked = null; // the hint under way: {policy, version}
let sent = null; // the version that an action was sent for, until the answer
let focusNext = false; // whether the focus goes to where the person acts next
let showLast = false;
let typed = ""; // a rank typed, waiting for its suit
let picked = 0; // which card of the hand the Tab key reaches

// --- what is remembered on this device ---

const remembered = (() => {
  const standard = { seen: false, could: false, voids: false, trumps: false, auto: false, keys: true, policy: {} };
  try {
    return { ...standard, ...JSON.parse(localStorage.getItem("cardenvs.play") || "{}") };
  } catch {
    return standard;
  }
})();

function remember(key, value) {
  remembered[key] = value;
  try {
    localStorage.setItem("cardenvs.play", JSON.stringify(remembered));
  } catch {
    // A browser may forbid it; then the choice lasts as long as the page.
  }
}

// --- words ---

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const esc = (text) => String(text).replace(/[&<>"']/g, (c) => ESCAPES[c]);
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const count = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
const seatOf = (number) => state.seats[number];
/** A seat in running text: as the log has it, for several seats may have the same policy. */
const who = (number) => (number === state.you ? "you" : `player ${number}`);
const Who = (number) => capital(who(number));
/** The same with the policy's name. */
const fully = (number) => (number !== state.you && seatOf(number).kind === "policy" ? `player ${number} (${seatOf(number).name})` : who(number));
const suitWord = (suit) => SUIT_NAMES[suit].slice(0, -1);
const mine = () => state.you !== null && state.to_act === state.you && !state.deal_over && seatOf(state.you).kind === "human";
const people = () => state.seats.some((seat) => seat.kind === "human");
const mayControl = () => state.control;
/** Whether this page watches policies, at its own speed. */
const directs = () => !people() && mayControl();
const isPoker = () => Boolean(state.five_o);
/** Where a seat is drawn: 0 at the bottom, 1 left, 2 top, 3 right. */
const place = (number) => {
  const turns = (number - (state.you ?? 0) + state.seats.length) % state.seats.length;
  return state.seats.length === 2 ? turns * 2 : turns;
};

// Policies that explain themselves come first, then the others; the server says which there are.
const ADVISERS = ["learned", "pimc", "poe", "monte-carlo", "learned-search", "exact", "expectiminimax", "rollout"];
let known = [];
const advisers = () => {
  const names = known;
  const first = ADVISERS.filter((name) => names.includes(name));
  return [...first, ...names.filter((name) => !first.includes(name))];
};

// --- drawing: each region is written as text, and what is there already stays: cards, the focus, an open list ---

const drawn = new Map();

function put(id, html) {
  if (drawn.get(id) === html) return;
  drawn.set(id, html);
  const region = $(id);
  const active = document.activeElement;
  const inside = active !== region && region.contains(active);
  const fresh = document.createElement("template");
  fresh.innerHTML = html;
  patch(region, fresh.content);
  if (inside && !region.contains(active)) focusNext = true;
}

/** Makes the children of a node those of another; children with a data-key are known by it, others by their place. */
function patch(old, fresh) {
  const keys = new Set(Array.from(fresh.children, (child) => child.dataset.key));
  for (const child of [...old.children]) if (!keys.has(child.dataset.key)) child.remove();
  let at = old.firstChild;
  for (const child of [...fresh.childNodes]) {
    if (!at || at.nodeName !== child.nodeName || at.dataset?.key !== child.dataset?.key) {
      old.insertBefore(child, at);
      continue;
    }
    if (!at.isEqualNode(child)) {
      if (at.nodeType === Node.TEXT_NODE) at.nodeValue = child.nodeValue;
      else {
        for (const { name } of [...at.attributes]) if (!child.hasAttribute(name)) set(at, name, null);
        for (const { name, value } of [...child.attributes]) if (at.getAttribute(name) !== value) set(at, name, value);
        patch(at, child);
      }
    }
    at = at.nextSibling;
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

function set(element, name, value) {
  if (value === null) element.removeAttribute(name);
  else element.setAttribute(name, value);
  // What a person has changed in a field no longer follows the attribute.
  if (name === "value") element.value = value;
  if (name === "checked" || name === "selected") element[name] = value !== null;
}

/** Cards by suit: a line for the eye, "clubs: nine, ten" for the ear. */
function bySuit(cards, order = SUITS) {
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

const suitOrder = () => (state.trump ? [state.trump, ...SUITS.filter((suit) => suit !== state.trump)] : SUITS);

/** The suit a card counts as: Euchre's left bower is a trump. */
function suitOf(card) {
  const twin = { c: "s", s: "c", d: "h", h: "d" };
  return state.game === "euchre" && state.trump && card[0] === "J" && card[1] === twin[state.trump] ? state.trump : card[1];
}

function drawTop() {
  put("title", esc(state.title));
  document.title = mine() ? `Your turn · ${state.title}` : state.title;
  let score = "";
  if (!isPoker()) {
    const us = state.you === null ? 0 : seatOf(state.you).side;
    const names = state.you === null ? ["0 and 2", "1 and 3"] : ["We", "They"];
    const figures = state.score ?? [null, null];
    const boxes = [us, 1 - us].map((side, k) => {
      const tricks = state.side_tricks ? `<span class="small">${count(state.side_tricks[side], "trick")}</span>` : "";
      const points = figures[side] === null ? "" : `<b>${figures[side]}</b> `;
      return `<span class="box side-${k}"><span>${names[k]}</span> ${points}${tricks}</span>`;
    });
    const goal = state.options?.episode === "game" ? `<span class="small goal">to ${esc(state.options.target)}</span>` : "";
    score = `<span class="sr">Score: </span>${boxes.join("")}${goal}`;
  } else {
    score = `<span class="box"><span class="small">row ${Math.min(state.five_o.row, 5)} of 5</span></span>`;
  }
  put("score", score);
  document.querySelectorAll("header [data-do]").forEach((button) => (button.hidden = !mayControl()));
}

function drawInfo() {
  const parts = [];
  if (state.trump) {
    let made = "";
    if (state.maker !== null && state.maker !== undefined && state.game === "euchre") {
      made = `<span class="small">called by ${esc(who(state.maker))}${state.alone ? ", alone" : ""}</span>`;
    }
    parts.push(`<span class="trump suit-${state.trump}">${sign(state.trump)}</span><span class="fact"><b>${capital(SUIT_NAMES[state.trump])} <span class="small">trump</span></b>${made}</span>`);
  }
  const card = state.turned ?? state.shown;
  if (card && state.phase !== "ordering" && !isPoker()) {
    const dealer = state.seats.findIndex((seat) => seat.dealer);
    const told = state.turned
      ? state.turned_down
        ? "turned down"
        : state.picked_up
          ? "taken up"
          : "turned up"
      : `shown by ${dealer < 0 ? "the dealer" : who(dealer)}`;
    parts.push(
      `<span class="tiny${state.turned_down ? " off" : ""}">${picture(card, true)}</span><span class="fact"><span class="small">${esc(told)}</span><span class="sr">${cardName(card)}</span></span>`,
    );
  }
  if (state.discard && state.you !== null && !state.deal_over) {
    parts.push(`<span class="tiny off">${picture(state.discard, true)}</span><span class="fact"><span class="small">you discarded</span><span class="sr">${cardName(state.discard)}</span></span>`);
  }
  put("info", parts.map((part) => `<span class="item">${part}</span>`).join(""));
}

function drawSeats() {
  const shown = [0, 1, 2, 3].map(() => "");
  for (const seat of state.seats) {
    const n = seat.seat;
    const spot = place(n);
    const own = n === state.you;
    const tags = [];
    if (seat.dealer) tags.push('<span class="tag dealer" title="dealer"><span aria-hidden="true">D</span><span class="sr">dealer</span></span>');
    if (state.game === "euchre" && state.maker === n && state.trump) {
      tags.push(`<span class="tag maker">called${state.alone ? " alone" : ""}</span>`);
    }
    if (seat.sitting_out) tags.push('<span class="tag">sits out</span>');
    if (seat.connected === false) tags.push('<span class="tag away">away</span>');
    if (seat.failed) tags.push('<span class="tag bad">failed</span>');
    const bid = state.bids?.findLast((b) => b.seat === n);
    const bidding = state.phase === "ordering" || state.phase === "calling" || state.phase === "discarding";
    if (bid && bidding) tags.push(`<span class="tag bid">${esc(bid.label)}</span>`);
    const facts = [];
    if (seat.kind === "policy" || own) facts.push(`player ${n}`);
    if (state.you !== null && !own && !isPoker() && seat.side === seatOf(state.you).side) facts.push("partner");
    if (!isPoker()) facts.push(count(seat.tricks, "trick"));
    const acting = state.to_act === n && !state.deal_over;
    const open = state.hands?.[n];
    let cards = "";
    if (open?.length && !isPoker()) {
      if (spot === 0) cards = "";
      else if (state.game === "euchre") cards = `<span class="mini">${open.map((card) => picture(card, true)).join("")}</span>`;
      else cards = `<span class="diagram">${bySuit(open, suitOrder())}</span>`;
      if (cards) cards = `<span class="cards" role="group" aria-label="hand of ${who(n)}: ${open.map(cardName).join(", ")}">${cards}</span>`;
    } else if (!own && seat.cards && !isPoker()) {
      const backs = Math.min(seat.cards, 13);
      cards = `<span class="cards backs n${backs > 6 ? "many" : "few"}"><span class="mini" aria-hidden="true">${picture(null).repeat(backs)}</span><span class="number">${count(seat.cards, "card")}</span></span>`;
    }
    const waiting = acting && !own && !seat.failed
      ? `<span class="think">${seat.thinking ? `thinking${'<i aria-hidden="true"></i>'.repeat(3)}` : "to act"}</span>`
      : "";
    const side = state.you === null ? seat.side : seat.side === seatOf(state.you).side ? 0 : 1;
    shown[spot] =
      `<div class="plate side-${side}${acting ? " acting" : ""}${seat.sitting_out ? " out" : ""}" data-seat="${n}">` +
      `<span class="name"><b title="${esc(seat.name)}">${esc(!own ? seat.name : seat.kind === "human" ? "You" : `${seat.name} for you`)}</b>${tags.join("")}</span>` +
      `<span class="facts">${facts.map((fact) => `<span>${fact}</span>`).join("")}${waiting}</span>${cards}</div>`;
  }
  shown.forEach((html, spot) => put(`seat-${spot}`, html));
}

/** The cards of a trick, in order of play, each before its player. */
function trickList(cards, winner, name) {
  const rows = cards.map(({ seat, card }, k) => {
    const best = seat === winner;
    const fresh = k === cards.length - 1 ? " fresh" : "";
    return (
      `<li class="at-${place(seat)}${best ? " best" : ""}${fresh}" data-key="${card}" data-seat="${seat}" data-card="${card}">${picture(card)}` +
      `<span class="order" aria-hidden="true">${k + 1}</span>` +
      `<span class="sr">${esc(Who(seat))}: ${cardName(card)}${k === 0 ? ", led" : ""}${best ? `, ${name}` : ""}</span></li>`
    );
  });
  return rows.join("");
}

function drawMiddle() {
  let html = "";
  if (isPoker()) {
    const { card } = state.five_o;
    if (card) html = `<div class="inhand">${picture(card)}<p>${mine() ? "your card" : `card of ${esc(who(state.to_act))}`}<span class="sr">: ${cardName(card)}</span></p></div>`;
    else if (!state.deal_over) html = `<div class="inhand none">${picture(null)}<p>card of ${esc(who(state.to_act))}</p></div>`;
  } else if (state.phase === "ordering" || (state.phase === "calling" && !state.trick.length)) {
    if (state.turned) {
      const down = state.phase === "calling";
      html = `<div class="turned${down ? " off" : ""}">${picture(state.turned)}<p>${cardName(state.turned)}, turned ${down ? "down" : "up"}</p></div>`;
    }
  } else if (state.trick.length) {
    html = `<ol class="trick" id="trick" aria-label="Trick">${trickList(state.trick, state.trick_winning, "winning")}</ol>`;
  } else if (state.last_trick && !state.deal_over) {
    // The finished trick stays in sight until the next card.
    html = `<ol class="trick done" id="trick" aria-label="Last trick">${trickList(state.last_trick.cards, state.last_trick.winner, "won")}</ol>`;
  } else if (!state.deal_over) {
    html = '<ol class="trick" id="trick" aria-label="Trick"></ol>';
  }
  put("middle", html);

  let last = "";
  if (!isPoker() && state.last_trick) {
    last = `<button type="button" class="quiet" data-do="last" data-key="last" aria-expanded="${showLast}" aria-controls="last-cards">Last trick</button>`;
    if (showLast) {
      const { cards, winner } = state.last_trick;
      const list = cards.map(
        ({ seat, card }) =>
          `<li${seat === winner ? ' class="best"' : ""}>${picture(card, true)}<span class="small" aria-hidden="true">${esc(Who(seat))}</span>` +
          `<span class="sr">${esc(who(seat))}: ${cardName(card)}${seat === winner ? ", won" : ""}</span></li>`,
      );
      last += `<ol id="last-cards">${list.join("")}</ol>`;
    }
  }
  put("last", last);
}

// --- hints as bars ---

const hinted = (action) => (hint && hint.version === state.version ? hint.values.get(action) : undefined);

function figure(value) {
  if (hint.kind === "choice") return "this";
  if (hint.kind === "probability") return `${Math.round(100 * value)}%`;
  if (hint.kind === "percent") return `${Math.round(value)}%`;
  return `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value).toFixed(2)}`;
}

/** The length of a bar, 0 to 100: of the whole for shares, between worst and best for values. */
function length(value) {
  if (hint.kind === "probability") return 100 * value;
  if (hint.kind === "percent") return value;
  if (hint.kind === "choice") return 100;
  const all = [...hint.values.values()];
  const low = Math.min(...all);
  const high = Math.max(...all);
  return high > low ? 12 + (88 * (value - low)) / (high - low) : 100;
}

const bestValue = () => Math.max(...hint.values.values());

function bar(action) {
  const value = hinted(action);
  if (value === undefined) return "";
  return (
    `<span class="hint${value === bestValue() ? " top" : ""}"><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false">` +
    `<rect width="100" height="8" class="track"/><rect width="${length(value).toFixed(1)}" height="8"/></svg><span>${figure(value)}</span></span>`
  );
}

const hintWords = (action) => {
  const value = hinted(action);
  return value === undefined ? "" : `, ${esc(hint.policy)}: ${figure(value)}`;
};

// --- what the person does ---

function prompt() {
  if (state.deal_over) return state.result?.text ?? "The deal is over";
  const n = state.to_act;
  if (n === null) return "";
  if (seatOf(n).failed) return `${capital(fully(n))} has failed`;
  if (n !== state.you) return `${capital(fully(n))} ${seatOf(n).thinking ? "is thinking …" : "is to act"}`;
  if (state.phase === "ordering") return "Your turn: order up or pass";
  if (state.phase === "calling") return "Your turn: call a suit or pass";
  if (state.phase === "discarding") return "Your turn: discard a card";
  if (isPoker()) return "Your turn: choose a column";
  return state.trick.length ? "Your turn: play a card" : "Your turn: lead a card";
}

/** Why a card or column cannot be chosen now. */
function whyNot(card) {
  if (state.deal_over) return "the deal is over";
  if (state.you === null) return "you are watching";
  if (!mine()) return state.to_act === null ? "wait" : `it is not your turn but that of ${who(state.to_act)}`;
  if (isPoker()) return "this column is already longer than your shortest one";
  if (state.phase === "ordering" || state.phase === "calling") return "the bidding comes first";
  if (state.trick.length) return `you hold a ${suitWord(suitOf(state.trick[0].card))} and must follow suit`;
  return `the ${cardName(card)} cannot be played`;
}

const callKey = (action) => {
  const [verb, ...rest] = action.split("-");
  const alone = rest.at(-1) === "alone" ? "Shift+" : "";
  if (verb === "pass") return "P";
  if (verb === "order") return `${alone}O`;
  if (verb === "call") return `${alone}${rest[0][0].toUpperCase()}`;
  return "";
};

function drawActions() {
  const calls = mine() ? state.legal.filter((move) => !move.card && move.column === undefined) : [];
  const button = ({ action, label }, short) => {
    const suit = /^call-(\w)/.exec(action)?.[1];
    const key = remembered.keys ? callKey(action) : "";
    const shortcut = key ? `<kbd aria-hidden="true">${key.replace("Shift+", "⇧")}</kbd>` : "";
    const spoken = key ? ` aria-keyshortcuts="${key}"` : "";
    const named = short || suit || hinted(action) !== undefined ? ` aria-label="${esc(label)}${hintWords(action)}"` : "";
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

function drawHand() {
  const still = state.you === null || state.deal_over; // shown, not played from
  const open = still ? state.hands?.[seatAt(0)] : state.hand;
  if (isPoker() || !open || !open.length) {
    put("hand", "");
    return;
  }
  if (still) {
    const whose = state.you === null ? `Hand of ${who(seatAt(0))}` : "Your hand as dealt";
    put("hand", `<div class="fan n${open.length > 6 ? "many" : "few"}" role="group" aria-label="${whose}: ${open.map(cardName).join(", ")}">${open.map((card) => `<span class="held">${picture(card)}</span>`).join("")}</div>`);
    return;
  }
  const legal = new Map((mine() ? state.legal : []).filter((move) => move.card).map((move) => [move.card, move]));
  picked = Math.min(picked, open.length - 1);
  if (legal.size && !legal.has(open[picked])) picked = open.findIndex((card) => legal.has(card));
  const cards = open.map((card, k) => {
    const may = legal.has(card);
    const about = legal.size ? (may ? (state.phase === "discarding" ? ", can be discarded" : ", playable") : ", not playable") : "";
    const action = legal.get(card)?.action ?? card;
    const taken = state.phase === "discarding" && card === state.turned ? ", taken up" : "";
    return (
      `<button type="button" class="held${may ? " legal" : legal.size ? " dim" : ""}" data-action="${esc(action)}" data-card="${card}" data-key="card-${card}"` +
      ` tabindex="${k === picked ? 0 : -1}"${may ? "" : ' aria-disabled="true"'} aria-label="${cardName(card)}${taken}${about}${hintWords(action)}">` +
      `${picture(card)}${bar(action)}</button>`
    );
  });
  put("hand", `<div class="fan n${open.length > 6 ? "many" : "few"}" role="toolbar" aria-label="Your hand, ${count(open.length, "card")}">${cards.join("")}</div>`);
}

const seatAt = (spot) => state.seats.findIndex((seat) => place(seat.seat) === spot);

// --- Five-O ---

function stack(cards) {
  const slots = [];
  for (let row = 0; row < 5; row++) {
    slots.push(
      row < cards.length
        ? `<span class="slot">${picture(cards[row], Boolean(cards[row]))}</span>`
        : '<span class="slot empty"></span>',
    );
  }
  return slots.join("");
}

const columnWords = (cards) =>
  cards.length ? cards.map((card) => (card ? cardName(card) : "a card face down")).join(", ") : "empty";

function drawBoards() {
  if (!isPoker()) {
    put("board-0", "");
    put("board-2", "");
    return;
  }
  const { columns, card, results } = state.five_o;
  const bottom = seatAt(0);
  const top = seatAt(2);
  const legal = new Map((mine() ? state.legal : []).map((move) => [move.column, move]));
  const toBoard = (number, own) =>
    columns[number].map((cards, k) => {
      const result = results?.[k];
      const won = result ? (result.winner === number ? " won" : result.winner === null ? " tied" : " lost") : "";
      const rank = result ? `<span class="rank">${result.winner === number ? "★ " : ""}${esc(result.hands[number])}</span>` : "";
      const label = `Column ${k + 1}: ${columnWords(cards)}`;
      if (!own || state.you === null || state.deal_over) {
        const ended = result ? `; ${result.hands[number]}, ${won.trim()}` : "";
        return `<div class="column${won}" role="group" aria-label="${esc(label + ended)}">${stack(cards)}${rank}</div>`;
      }
      const may = legal.has(k);
      const action = legal.get(k)?.action ?? `column-${k + 1}`;
      const about = legal.size ? (may ? `; key ${k + 1} puts the ${cardName(card)} here` : "; too long for now") : "";
      return (
        `<button type="button" class="column${may ? " legal" : legal.size ? " dim" : ""}" id="column-${k + 1}" data-action="${action}" data-key="${action}"` +
        ` data-column="${k}" tabindex="${k === picked ? 0 : -1}"${may ? "" : ' aria-disabled="true"'} aria-label="${label}${about}${hintWords(action)}">` +
        `${stack(cards)}<span class="foot"><span class="digit" aria-hidden="true">${k + 1}</span>${bar(action)}</span></button>`
      );
    });
  picked = Math.min(picked, 4);
  if (legal.size && !legal.has(picked)) picked = Math.min(...legal.keys());
  put("board-2", `<div class="board" role="group" aria-label="Columns of ${who(top)}">${toBoard(top, false).join("")}</div>`);
  const tools = state.you !== null && !state.deal_over;
  put(
    "board-0",
    `<div class="board own" role="${tools ? "toolbar" : "group"}" aria-label="${state.you === null ? `Columns of ${who(bottom)}` : "Your columns"}">${toBoard(bottom, true).join("")}</div>`,
  );
}

// --- the end of a deal ---

function drawResult() {
  if (!state.deal_over) {
    put("result", "");
    return;
  }
  const result = state.result ?? {};
  const us = state.you === null ? 0 : seatOf(state.you).side;
  let headline = "The deal is over";
  if (state.you !== null && result.winner !== undefined) {
    headline = result.winner === null ? (isPoker() ? "A draw" : "Nobody scores") : result.winner === us ? "You win" : "You lose";
    if (!isPoker() && result.winner !== null) headline = result.winner === us ? "Your side scores" : "The other side scores";
    if (state.episode_over && state.options?.episode === "game") headline = result.winner === us ? "You have won the game" : "The game is lost";
  }
  const rows = [];
  if (result.tricks && !isPoker()) rows.push(["Tricks", result.tricks]);
  if (result.points && !isPoker()) rows.push(["Points", result.points]);
  if (state.score && state.options?.episode === "game") rows.push(["Score", state.score]);
  const names = state.you === null ? ["Seats 0, 2", "Seats 1, 3"] : ["We", "They"];
  const table = rows.length
    ? `<table><thead><tr><td></td><th scope="col">${names[0]}</th><th scope="col">${names[1]}</th></tr></thead><tbody>` +
      rows.map(([name, pair]) => `<tr><th scope="row">${name}</th><td>${pair[us]}</td><td>${pair[1 - us]}</td></tr>`).join("") +
      "</tbody></table>"
    : "";
  const buttons = [];
  if (mayControl()) {
    if (!state.episode_over) buttons.push('<button type="button" data-do="next" data-key="next" class="main">Next deal</button>');
    buttons.push(`<button type="button" data-do="new" data-key="new"${state.episode_over ? ' class="main"' : ""}>New ${state.options?.episode === "game" ? "game" : "deal"}</button>`);
    buttons.push('<button type="button" data-do="same" data-key="same">Same deal</button>');
    buttons.push('<button type="button" data-do="save" data-key="save">Save …</button>');
  }
  const line = state.text
    ? `<details><summary data-key="text">The deal as text</summary><code tabindex="0" data-key="code">${esc(state.text)}</code></details>`
    : "";
  const away = [];
  if (state.kitty?.length) away.push(`kitty ${state.kitty.map(brief).join(" ")}`);
  if (state.discard) away.push(`discarded ${brief(state.discard)}`);
  if (state.hands && !isPoker()) away.push("hands are shown as dealt");
  put(
    "result",
    `<div class="panel"><h2>${esc(headline)}</h2><p>${esc(result.text ?? "")}</p>${table}${away.length ? `<p class="small">${capital(away.join("; "))}.</p>` : ""}<div class="row">${buttons.join("")}</div>${line}</div>`,
  );
}

// --- a spectator's table ---

function drawControls() {
  if (!directs()) {
    put("controls", "");
    return;
  }
  const speed = state.pause;
  const paused = state.paused;
  put(
    "controls",
    `<button type="button" data-do="pause" data-key="pause" aria-pressed="${paused}">${paused ? "Go on" : "Pause"}</button>` +
      `<button type="button" data-do="step" data-key="step"${paused ? "" : ' aria-disabled="true"'}>Step</button>` +
      `<label class="speed" for="speed">Seconds a move <input type="range" id="speed" data-key="speed" min="0" max="3" step="0.1" value="${speed}"><output for="speed">${Number(speed).toFixed(1)}</output></label>`,
  );
}

// --- hints and readouts beside the table ---

function drawHints() {
  if (state.you === null) {
    $("hints").hidden = true;
    return;
  }
  $("hints").hidden = false;
  const names = advisers();
  const chosen = remembered.policy[state.game] ?? names[0];
  const options = (names.includes(chosen) ? names : [chosen, ...names])
    .map((name) => `<option${name === chosen ? " selected" : ""}>${esc(name)}</option>`)
    .join("");
  put(
    "hint-form",
    `<div class="row"><label class="sr" for="hint-policy">Policy that advises</label><select id="hint-policy" data-key="hint-policy">${options}</select>` +
      `<button type="button" data-do="hint" data-key="hint"${mine() && !asked ? "" : ' aria-disabled="true"'}>${asked ? "Asking …" : "Hint"}</button></div>` +
      `<label class="switch"><input type="checkbox" id="hint-auto" data-key="hint-auto"${remembered.auto ? " checked" : ""}> On each of my turns</label>`,
  );
  let list = "";
  if (hint && hint.version === state.version) {
    const what = { percent: "percent", probability: "probability", value: "value", choice: "its choice" }[hint.kind] ?? hint.kind;
    const rows = [...hint.values].sort((a, b) => b[1] - a[1]);
    list =
      `<table class="bars"><caption>${esc(hint.policy)}: ${esc(what)}</caption><tbody>` +
      rows
        .map(([action]) => `<tr><th scope="row">${esc(shortLabel(action))}</th><td>${bar(action)}</td></tr>`)
        .join("") +
      "</tbody></table>";
  }
  put("hint-list", list);
}

const isCard = (action) => /^[2-9TJQKA][cdhs]$/.test(action);
const brief = (card) => printed(card[0]) + SIGNS[card[1]];
const shortLabel = (action) => (isCard(action) ? brief(action) : capital(action.replaceAll("-", " ")));

const SWITCHES = [
  ["seen", "Seen cards"],
  ["could", "What each seat can hold"],
  ["voids", "Shown voids"],
  ["trumps", "Remaining trumps"],
];

function drawReadouts() {
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

let told = [];

/** The log beside the table, and what is new of it for screen readers. */
function drawLog() {
  const lines = state.log ?? [];
  put("log", lines.length ? `<ol>${lines.map((line) => `<li>${esc(line)}</li>`).join("")}</ol>` : '<p class="small">Nothing yet.</p>');
  const on = told.length <= lines.length && told.every((line, k) => line === lines[k]);
  const news = on ? lines.slice(told.length) : lines;
  if (news.length || !on) $("log").scrollTop = $("log").scrollHeight;
  told = lines;
  const message = [...news.slice(-8), ...(mine() || state.deal_over ? [prompt()] : [])].join(". ");
  if (message && message !== say.last) say(message);
}

function say(message) {
  say.last = message;
  const line = document.createElement("p");
  line.textContent = message;
  $("say").append(line);
  while ($("say").children.length > 12) $("say").firstChild.remove();
}

function drawFailures() {
  const names = known;
  const rows = state.seats
    .filter((seat) => seat.failed)
    .map(
      (seat) =>
        `<div class="banner bad"><p><b>Player ${seat.seat}</b>: ${esc(seat.failed)}. The game is kept.</p>` +
        (mayControl()
          ? `<div class="row"><button type="button" data-do="retry" data-key="retry-${seat.seat}">Retry</button>` +
            `<label class="sr" for="replace-${seat.seat}">Replace by</label><select id="replace-${seat.seat}" data-key="select-${seat.seat}">${names.map((name) => `<option>${esc(name)}</option>`).join("")}</select>` +
            `<button type="button" data-do="replace" data-seat="${seat.seat}" data-key="replace-${seat.seat}">Replace</button></div>`
          : "") +
        "</div>",
    );
  if (Number.isInteger(state.waits)) rows.push(`<div class="banner"><p>You sit down at seat ${state.waits} with the next deal; till then you look on.</p></div>`);
  if (state.trouble) rows.push(`<div class="banner"><p>${esc(capital(state.trouble))}.</p></div>`);
  put("failures", rows.join(""));
}

function draw() {
  root.dataset.game = state.game;
  root.dataset.phase = state.phase;
  root.dataset.turn = mine() ? "yes" : "no";
  root.dataset.watching = state.you === null ? "yes" : "no";
  focusNext = false;
  drawTop();
  drawInfo();
  drawSeats();
  drawMiddle();
  drawBoards();
  put("prompt", esc(prompt()));
  drawActions();
  drawHand();
  drawResult();
  drawControls();
  drawHints();
  drawReadouts();
  drawFailures();
  drawLog();
  // Who went through the hand while others played goes on with a card that may be played.
  const begins = mine() && root.dataset.drawnTurn !== "yes";
  const stale = begins && document.activeElement.closest?.("#hand, #board-0")?.contains(document.activeElement);
  root.dataset.drawnTurn = mine() ? "yes" : "no";
  if (focusNext || (stale && document.activeElement.getAttribute("aria-disabled") === "true")) focusAction();
  root.dataset.version = state.version;
  root.dataset.over = state.deal_over ? "yes" : "no";
}

/** Takes the focus to what is to be done next, after the element that had it has gone. */
function focusAction() {
  const next = state.deal_over
    ? document.querySelector("#result button")
    : document.querySelector("#actions button, #hand [tabindex='0'], #board-0 [tabindex='0']");
  (next ?? $("own")).focus({ preventScroll: true });
}

// --- messages ---

function transmit(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  else complain("Not connected to the table just now.");
}

function complain(message) {
  $("alert").innerHTML = message
    ? `<div class="banner"><p>${esc(message)}</p><button type="button" class="round" data-do="dismiss" aria-label="Dismiss">×</button></div>`
    : "";
}

function explain(message) {
  $("why").textContent = "";
  // A status that is set to the same text again is not read again.
  requestAnimationFrame(() => ($("why").textContent = capital(message)));
}

function act(action) {
  if (!state || sent === state.version) return;
  if (!mine() || !state.legal.some((move) => move.action === action)) {
    explain(whyNot(action));
    return;
  }
  sent = state.version;
  root.dataset.sent = state.version;
  transmit({ type: "act", action, version: state.version });
}

function askHint() {
  if (!mine() || asked) return;
  const policy = $("hint-policy")?.value ?? remembered.policy[state.game] ?? advisers()[0];
  asked = { policy, version: state.version };
  hint = null;
  drawHints();
  transmit({ type: "hint", policy });
}

const receive = {
  welcome(message) {
    known = message.policies;
  },
  state(message) {
    const before = state;
    state = message;
    sent = null;
    if (before && before.version !== state.version) {
      $("why").textContent = "";
      complain("");
      if (asked && asked.version !== state.version) asked = null;
    }
    draw();
    if (remembered.auto && mine() && !asked && hint?.version !== state.version) askHint();
  },
  error(message) {
    sent = null;
    asked = null;
    complain(message.message);
    if (state) draw();
  },
  hint(message) {
    asked = null;
    const values = new Map(message.bars.filter((b) => b.value !== null).map((b) => [b.action, b.value]));
    hint = { policy: message.policy, kind: message.kind, version: message.version, values };
    if (hint.version === state.version && hint.values.size) {
      const [best] = [...hint.values].sort((a, b) => b[1] - a[1]);
      say(`${hint.policy} advises: ${isCard(best[0]) ? cardName(best[0]) : best[0].replaceAll("-", " ")}, ${figure(best[1])}`);
    }
    draw();
  },
  saved(message) {
    $("saved").value = message.text;
    URL.revokeObjectURL($("download").href);
    $("download").href = URL.createObjectURL(new Blob([message.text], { type: "text/plain" }));
    $("download").download = `${state.game}.txt`;
    $("unfinished").hidden = !message.unfinished;
    open("save");
  },
  ended(message) {
    tellEnd(message.message, message.path);
  },
  link(message) {
    $("link-seat").textContent = message.seat;
    $("link").value = location.origin + message.path;
    open("invite");
  },
};

let tries = 0;
let timer = 0;
let ended = ""; // why this page's link has ended: there is nothing to connect to again

/** Says that the link has ended, and where one can look on. */
function tellEnd(message, path) {
  ended = message;
  root.dataset.connected = "no";
  const on = path ? ` <a href="${esc(path)}">Look on</a>` : "";
  $("alert").innerHTML = `<div class="banner"><p>${esc(message)}${on}</p></div>`;
}

function connect() {
  clearTimeout(timer);
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  socket = new WebSocket(`${scheme}//${location.host}${location.pathname.replace(/\/+$/, "")}/ws`);
  const mineNow = socket;
  socket.onopen = () => {
    tries = 0;
    root.dataset.connected = "yes";
    complain("");
  };
  socket.onmessage = (event) => {
    const message = JSON.parse(event.data);
    receive[message.type]?.(message);
  };
  socket.onclose = (event) => {
    if (socket !== mineNow) return;
    if (event.code === 4001 && !ended) tellEnd(event.reason);
    if (ended) return;
    if (tries) {
      // A page that cannot connect again may have a link that ended meanwhile.
      fetch(location.pathname).then(async (answer) => answer.status === 403 && (clearTimeout(timer), tellEnd(await answer.text()))).catch(() => {});
    }
    root.dataset.connected = "no";
    sent = asked = null;
    const wait = Math.min(8000, 400 * 2 ** tries) * (0.75 + Math.random() / 2);
    tries += 1;
    $("alert").innerHTML =
      `<div class="banner"><p>The connection to the table is lost; trying again${tries > 1 ? ` in ${Math.ceil(wait / 1000)} s` : ""} …</p>` +
      '<button type="button" data-do="connect">Now</button></div>';
    timer = setTimeout(connect, wait);
  };
}

// --- buttons, dialogs, keys ---

function open(id) {
  if (!state) return;
  document.querySelectorAll("dialog[open]").forEach((dialog) => dialog.close());
  if (id === "seats") drawSeatForms();
  if (id === "help") drawHelp();
  if (id === "menu") document.querySelectorAll("#menu .list button").forEach((button) => (button.disabled = !mayControl() && button.dataset.open !== "help"));
  $(id).showModal();
}

function drawSeatForms() {
  $("policies").innerHTML = ["human", ...known].map((name) => `<option value="${esc(name)}">`).join("");
  $("seat-forms").innerHTML = state.seats
    .map(
      (seat) =>
        `<form class="seat-form" data-seat="${seat.seat}"><label for="policy-${seat.seat}">Seat ${seat.seat}${seat.seat === state.you ? " (you)" : ""}</label>` +
        `<div class="row"><input id="policy-${seat.seat}" list="policies" required value="${esc(seat.kind === "human" ? "human" : (seat.policy ?? seat.name))}" spellcheck="false" autocapitalize="off"><button>Change</button></div></form>`,
    )
    .join("");
}

const KEYS = {
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
    ["W", "say where the game stands"],
    ["N", "after a deal: the next or a new one"],
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
    ...(state.five_o ? KEYS["five-o"] : KEYS.trick),
    ...(state.game === "euchre" ? KEYS.euchre : []),
    ...KEYS.all,
    ...(directs() ? KEYS.watch : []),
  ];
  $("help-text").innerHTML =
    `<table><caption class="sr">Keys</caption><tbody>${rows.map(([key, does]) => `<tr><th scope="row"><kbd>${key}</kbd></th><td>${esc(does)}</td></tr>`).join("")}</tbody></table>` +
    "<p>Cards you may play stand out; choose one by a click or a key. The numbers in a trick say in which order it was played, the ringed card is winning. Under <i>Hints</i> a policy of your choice shows what it thinks of each move.</p>";
}

/** Where the game stands, for the ear. */
function stand() {
  const parts = [prompt()];
  if (state.trump) parts.push(`trump is ${SUIT_NAMES[state.trump]}`);
  if (state.trick?.length) parts.push(`in the trick: ${state.trick.map(({ seat, card }) => `${who(seat)} ${cardName(card)}`).join(", ")}`);
  if (state.five_o?.card) parts.push(`in hand: ${cardName(state.five_o.card)}`);
  if (state.hand?.length) parts.push(`you hold ${state.hand.map(cardName).join(", ")}`);
  if (!isPoker() && state.side_tricks) {
    const us = state.you === null ? 0 : seatOf(state.you).side;
    parts.push(`tricks ${state.side_tricks[us]} to ${state.side_tricks[1 - us]}`);
  }
  if (state.score) parts.push(`score ${state.score.join(" to ")}`);
  say(parts.join(". "));
  explain(parts.join(". "));
}

const commands = {
  new: () => transmit({ type: "new" }),
  same: () => transmit({ type: "same" }),
  next: () => transmit({ type: "next" }),
  save: () => transmit({ type: "save" }),
  hint: askHint,
  last: () => {
    showLast = !showLast;
    drawMiddle();
  },
  pause: () => transmit({ type: "pause", on: !state.paused }),
  step: () => (state.paused ? transmit({ type: "step" }) : explain("pause first, then step")),
  retry: () => transmit({ type: "retry" }),
  replace: (button) => transmit({ type: "seat", seat: Number(button.dataset.seat), policy: $(`replace-${button.dataset.seat}`).value }),
  dismiss: () => {
    complain("");
    $("own").focus({ preventScroll: true });
  },
  connect: () => {
    tries = 0;
    connect();
  },
};

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action], [data-do], [data-open]");
  if (!button || button.disabled) return;
  const { action, do: command, open: dialog } = button.dataset;
  if (action) {
    const row = [...button.parentElement.children].indexOf(button);
    if (row >= 0 && (button.dataset.card || button.dataset.column)) picked = row;
    act(action);
  } else if (dialog) {
    open(dialog);
  } else {
    button.closest("dialog")?.close();
    if (button.getAttribute("aria-disabled") !== "true" || command === "step") commands[command](button);
  }
});

document.addEventListener("change", (event) => {
  const input = event.target;
  if (input.dataset.readout) {
    remember(input.dataset.readout, input.checked);
    drawReadouts();
  } else if (input.id === "hint-policy") {
    remember("policy", { ...remembered.policy, [state.game]: input.value });
    drawHints();
    if (remembered.auto) askHint();
  } else if (input.id === "hint-auto") {
    remember("auto", input.checked);
    drawHints();
    if (input.checked && hint?.version !== state.version) askHint();
  } else if (input.id === "keys") {
    remember("keys", input.checked);
    drawActions();
  } else if (input.id === "file" && input.files[0]) {
    input.files[0].text().then((text) => ($("loaded").value = text));
  }
});

document.addEventListener("input", (event) => {
  if (event.target.id !== "speed") return;
  event.target.nextElementSibling.textContent = Number(event.target.value).toFixed(1);
  clearTimeout(event.target.wait);
  event.target.wait = setTimeout(() => transmit({ type: "speed", seconds: Number(event.target.value) }), 120);
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method === "dialog") return;
  event.preventDefault();
  if (form.id === "seed-form") transmit({ type: "new", seed: Number($("seed").value) });
  else if (form.id === "line-form") transmit({ type: "new", line: $("line").value.trim() });
  else if (form.id === "load-form") transmit({ type: "load", text: $("loaded").value });
  else if (form.dataset.seat) transmit({ type: "seat", seat: Number(form.dataset.seat), policy: form.querySelector("input").value.trim() });
  form.closest("dialog").close();
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const field = $(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    // The clipboard is only there on secure pages; the old way works on the others.
    field.select();
    document.execCommand("copy");
  }
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = "Copy"), 1500);
});

document.addEventListener("focusin", (event) => {
  const card = event.target.closest?.("[data-card], [data-column]");
  if (!card || card.getAttribute("aria-disabled") !== "true") {
    if (card) $("why").textContent = "";
    return;
  }
  if (mine() && card.matches(":focus-visible")) explain(whyNot(card.dataset.card));
});

/** Moves the focus among the cards of the hand or the columns. */
function walk(event) {
  const bar = event.target.closest("[role=toolbar]");
  if (!bar) return false;
  const items = [...bar.children];
  const now = items.indexOf(event.target.closest("button"));
  const to = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: items.length - 1 }[event.key];
  if (to === undefined) return false;
  picked = (to + items.length) % items.length;
  items.forEach((item, k) => (item.tabIndex = k === picked ? 0 : -1));
  items[picked].focus();
  return true;
}

function typeCard(key) {
  const rank = key === "0" ? "T" : key.toUpperCase();
  if (typed && "cdhs".includes(key)) {
    const card = typed + key;
    typed = "";
    if (state.hand?.includes(card)) act(state.legal.find((move) => move.card === card)?.action ?? card);
    else explain(`you do not hold the ${cardName(card)}`);
    return true;
  }
  typed = "";
  if (!ranksOf(state.game).includes(rank)) return false;
  typed = rank;
  explain(`${rankName(rank)} of …`);
  return true;
}

function shortcut(event) {
  const key = event.key.toLowerCase();
  if (mine() && !isPoker()) {
    const call = state.legal.find((move) => {
      if (move.card || move.column !== undefined) return false;
      const wanted = callKey(move.action);
      return wanted.replace("Shift+", "").toLowerCase() === key && wanted.startsWith("Shift+") === event.shiftKey;
    });
    if (call) {
      act(call.action);
      return true;
    }
  }
  if (isPoker() && /^[1-5]$/.test(key)) {
    picked = Number(key) - 1;
    act(`column-${key}`);
    return true;
  }
  if (event.key === "?") return open("help"), true;
  if (event.shiftKey) return false;
  if (!isPoker() && state.hand?.length && typeCard(key)) return true;
  const does = {
    l: () => state.last_trick && commands.last(),
    i: askHint,
    w: stand,
    g: focusAction,
    m: () => open("menu"),
    n: () => state.deal_over && mayControl() && commands[state.episode_over ? "new" : "next"](),
    b: () => directs() && commands.pause(),
    ".": () => directs() && commands.step(),
  }[key];
  if (!does) return false;
  does();
  return true;
}

document.addEventListener("keydown", (event) => {
  if (!state || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("dialog, input:not([type=checkbox]), select, textarea")) return;
  if (walk(event) || (remembered.keys && event.key.length === 1 && event.key !== " " && shortcut(event))) event.preventDefault();
});

install();
$("keys").checked = remembered.keys;
window.addEventListener("online", () => !ended && socket?.readyState === WebSocket.CLOSED && connect());
connect();
