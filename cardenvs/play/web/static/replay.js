// A finished deal, gone through again move by move, and what a policy says that each move cost.

import { isPlain, isPoker, isTricks, live, redraw, show, state, stepping } from "./page.js";
import { capital, cardOf, count, labelText, sentence, who } from "./words.js";
import { esc, put, say } from "./write.js";

let positions = null; // of the finished deal, before each move and at its end
let at = 0;
let review = null; // {status, text, by, moves}
let start = 0; // where to begin when the positions come

const asleep = () => live.deal_over !== true;

/** Forgets the deal; to be called when another begins. */
export function forget() {
  positions = review = null;
}

function go(index) {
  at = Math.max(0, Math.min(index, positions.length - 1));
  const { version, control, can, paused, pause, sheet, log } = live;
  show({ ...positions[at], version, control, can, paused, pause, sheet, log, legal: [] });
  redraw();
  const told = moveText();
  if (told && say.last !== told) say(told);
}

/** What is marked in the columns of the position that is drawn: whose, the column chosen, and the better one. */
export function markColumns() {
  const next = stepping() ? positions[at + 1] : null;
  if (!next?.five_o) return {};
  const seat = positions[at].to_act;
  const full = (position) => position.five_o.columns[seat].map((column) => column.length);
  const before = full(positions[at]);
  const move = reviewed();
  return {
    seat,
    played: full(next).findIndex((length, k) => length > before[k]),
    better: move && costs(move) ? Number(/\d/.exec(move.best)?.[0]) - 1 : -1,
  };
}

/** Begins at a position; asks the server for the positions first if they are not here. */
export function stepFrom(transmit, index = 0) {
  if (asleep()) return;
  start = index;
  if (!stepping()) scrollTo(0, 0);
  if (positions) go(index);
  else transmit({ type: "replay" });
}

export function takePositions(message) {
  if (asleep() || !message.positions?.length) return;
  positions = message.positions;
  go(start);
}

export function leave() {
  if (!stepping()) return;
  show(live);
  redraw();
}

/** The first position of a trick before or after this one. */
function trickAway(way) {
  const begins = (k) => positions[k].phase === "playing" && !positions[k].trick.length;
  const starts = positions.flatMap((_, k) => (k === 0 || k === positions.length - 1 || (begins(k) && !begins(k - 1)) ? [k] : []));
  return way < 0 ? (starts.findLast((k) => k < at) ?? 0) : (starts.find((k) => k > at) ?? positions.length - 1);
}

export const steps = {
  first: () => go(0),
  back: () => go(at - 1),
  on: () => go(at + 1),
  last: () => go(positions.length - 1),
  trickBack: () => go(trickAway(-1)),
  trickOn: () => go(trickAway(1)),
};

const reviewed = () => review?.moves?.find((move) => move.index === at);

/** The card that was played in the position that is drawn, and the better one. */
export function mark() {
  if (!stepping()) return {};
  const move = reviewed();
  const next = positions[at + 1];
  const trick = next?.trick?.length ? next.trick : next?.last_trick?.cards;
  const played = next && next.to_act !== undefined && trick?.length && !isPoker() ? trick.at(-1).card : undefined;
  return { played: cardOf(move?.label) ?? played, better: move && costs(move) ? cardOf(move.best) : undefined };
}

/** What is done in the position that is drawn. */
export function moveText() {
  if (!stepping()) return "";
  const next = positions[at + 1];
  if (!next) return live.result?.text ?? "The deal is over";
  const told = next.told ?? `${who(state.to_act)} moves`;
  const move = reviewed();
  return move && costs(move) ? `${told}; ${move.best} was better by ${amount(move)}` : told;
}

export function drawStepper() {
  if (!stepping()) {
    put("stepper", "");
    return;
  }
  const end = positions.length - 1;
  const button = (step, sign, label, off) =>
    `<button type="button" class="quiet" data-step="${step}" data-key="${step}" aria-label="${label}"${off ? ' aria-disabled="true"' : ""}><span aria-hidden="true">${sign}</span></button>`;
  const tricks = isPoker() || (isPlain() && !isTricks()) ? ["", ""] : [button("trickBack", "«", "A trick back", at === 0), button("trickOn", "»", "A trick on", at === end)];
  put(
    "stepper",
    `<p class="said">${esc(sentence(moveText()))}</p><div class="row" role="group" aria-label="Step through the deal">` +
      tricks[0] + button("back", "‹", "A move back", at === 0) +
      `<span class="where">${at === end ? "end" : at + 1} of ${end}</span>` +
      button("on", "›", "A move on", at === end) + tricks[1] +
      '<button type="button" class="quiet" data-do="leave" data-key="leave" aria-label="To the result">Result</button></div>',
  );
}

// --- the review ---

export function askReview(transmit) {
  if (asleep() || review?.status === "working") return;
  review = { status: "working", text: "" };
  redraw();
  transmit({ type: "review" });
}

export function takeReview(message) {
  if (asleep()) return;
  review = message;
  redraw();
  if (message.status === "done") say(`The review is there. ${summary(ownMoves())}`);
  if (message.status === "failed") say(`The review failed: ${message.text}`);
}

const costs = (move) => move.cost >= 0.005;
const amount = (move) => move.said ?? `${move.cost.toFixed(2)} points`;
const ownMoves = () => (review.moves ?? []).filter((move) => live.you === null || live.seats[live.you].kind !== "human" || move.seat === live.you);

function summary(moves) {
  const free = moves.filter((move) => !move.forced);
  const dear = free.filter(costs);
  if (!dear.length) return `${count(free.length, "decision")}, none of which cost anything.`;
  const own = review.players?.find((player) => player.seat === live.you);
  return `${dear.length} of ${count(free.length, "decision")} cost something${own ? `, ${own.said} in all` : ""}.`;
}

/** The review in the panel of the result. */
export function reviewPart() {
  if (!review) return "";
  if (review.status === "working") return `<p class="review" data-key="review" role="status">${esc(capital(review.text || "the deal is being searched again"))} …</p>`;
  if (review.status === "failed") return `<p class="review" data-key="review" role="status">No review: ${esc(review.text)}</p>`;
  const moves = ownMoves();
  const dear = moves.filter(costs).sort((a, b) => b.cost - a.cost).slice(0, 3);
  const most = Math.max(...dear.map((move) => move.cost));
  const items = dear.map(
    (move) =>
      `<li><button type="button" class="cost" data-goto="${move.index}" data-key="dear-${move.index}"><span>${named(move)}<b>${labelText(move.label)}</b> <span class="small">better ${labelText(move.best)}</span></span>` +
      `<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect width="100" height="8" class="track"/><rect width="${((100 * move.cost) / most).toFixed(1)}" height="8"/></svg>` +
      `<span class="much">${esc(amount(move))}</span><span class="sr">; show the position</span></button></li>`,
  );
  const rows = [...review.moves]
    .sort((a, b) => a.index - b.index)
    .map((move) => `<tr><td>${esc(move.seat === live.you ? "You" : move.name)}</td><td><button type="button" class="link" data-goto="${move.index}" data-key="all-${move.index}">${labelText(move.label)}</button></td><td>${labelText(move.best)}</td><td>${costs(move) ? esc(amount(move)) : move.forced ? "forced" : "–"}</td></tr>`);
  const all = rows.length
    ? `<details data-key="all"><summary>Every move</summary><div class="scroll" tabindex="0" role="group" aria-label="Every move"><table class="every"><thead><tr><th scope="col">Who</th><th scope="col">Played</th><th scope="col">Best</th><th scope="col">Cost</th></tr></thead><tbody>${rows.join("")}</tbody></table></div></details>`
    : "";
  return `<div class="review" data-key="review"><h3>What moves cost</h3><p class="small">${esc(summary(moves))}${review.by ? ` Searched by ${esc(review.by)}.` : ""}</p>${items.length ? `<ol>${items.join("")}</ol>` : ""}${all}</div>`;
}

const named = (move) => (move.seat === live.you ? "" : `${esc(move.name)}: `);
