// What the page knows: the last state from the server, what of it is drawn, and what this device remembers.
// Everything is drawn from a state; nothing is worked out here that the rules decide.

export const $ = (id) => document.getElementById(id);
export const root = document.documentElement;

/** The last state from the server. */
export let live = null;
/** What is drawn: the last state, or a position of the finished deal. */
export let state = null;
/** The policies that can be named at this table. */
export let known = [];
/** The rules of the game in brief, as text; empty where nobody has written any. */
export let rules = "";

export function take(next) {
  live = state = next;
}

export function show(position) {
  state = position;
}

export function knows(names, brief) {
  known = names;
  rules = brief ?? "";
}

/** What the page keeps in mind between two drawings. */
export const mind = {
  hint: null, // the last answer: {policy, kind, values: Map, tried: Map, version}
  asked: null, // the hint under way: {policy, version}
  sent: null, // the version that an action was sent for, until the answer
  showLast: false,
  typed: "", // a rank typed, waiting for its suit
  chosen: "", // the card of a hand seen from behind that was clicked, by "pile place"
  turned: new Set(), // the numbers of the hands that are shown as their owners see them
  picked: 0, // which card of the hand the Tab key reaches
};

/** Draws everything anew; play.js says how. */
export let redraw = () => {};

export function onRedraw(draw) {
  redraw = draw;
}

// --- what is remembered on this device ---

export const remembered = (() => {
  const standard = {
    seen: false, could: false, voids: false, trumps: false, auto: false, keys: true, policy: {},
    deck: "four", sort: "trumps", sound: false, motion: true, name: "", words: false,
  };
  try {
    return { ...standard, ...JSON.parse(localStorage.getItem("cardenvs.play") || "{}") };
  } catch {
    return standard;
  }
})();

export function remember(key, value) {
  remembered[key] = value;
  try {
    localStorage.setItem("cardenvs.play", JSON.stringify(remembered));
  } catch {
    // A browser may forbid it; then the choice lasts as long as the page.
  }
}

/** Whether there is little room, so that cards are drawn with large indices. */
export const narrow = matchMedia("(max-width: 54rem)");

// --- who is who ---

export const seatOf = (number) => state.seats[number];
/** Whether the person at this page is to act. */
export const mine = () => state === live && state.you !== null && state.to_act === state.you && !state.deal_over && seatOf(state.you).kind === "human";
export const mayControl = () => Boolean(live.control);
/** Whether this page watches policies, at its own speed. */
export const directs = () => !live.seats.some((seat) => seat.kind === "human") && mayControl();
export const isPoker = () => Boolean(state.five_o);
/** Whether the game has no picture of its own. */
export const isPlain = () => Boolean(state.board || state.drawing);
/** Whether a game without a picture of its own is played in tricks. */
export const isTricks = () => Boolean(state.board?.tricks);
/** Whether a deal is one of a game's. */
export const isGame = () => live.options?.episode === "game";
/** Whether an earlier position of the finished deal is drawn. */
export const stepping = () => state !== live;

/** How many seats after the one at the bottom a seat is. */
export const turnsTo = (number) => (number - (state.you ?? 0) + state.seats.length) % state.seats.length;
/** Where a seat is drawn: 0 at the bottom, 1 left, 2 top, 3 right; of more than four the others are at the top. */
export const place = (number) => {
  const turns = turnsTo(number);
  const last = state.seats.length - 1;
  if (last === 1) return turns * 2;
  return turns === last ? 3 : Math.min(turns, 2);
};
export const seatAt = (spot) => state.seats.findIndex((seat) => place(seat.seat) === spot);
