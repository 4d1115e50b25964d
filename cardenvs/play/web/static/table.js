// The middle of the page: who sits where, the trump, the trick.

import { drawnCommon, drawnSeats } from "./board.js";
import { SUIT_NAMES, cardName, drawnCard, nameOf, picture, sign } from "./cards.js";
import { isGame, isPlain, isPoker, isTricks, live, mayControl, mind, mine, narrow, place, seatAt, seatOf, state } from "./page.js";
import { Who, bySuit, capital, count, parted, seatName, sides, suitOrder, who } from "./words.js";
import { esc, put } from "./write.js";

export function drawTop() {
  put("title", esc(state.title));
  document.title = mine() ? `Your turn · ${state.title}` : state.title;
  let score = "";
  if (!isPoker() && !isPlain()) {
    const figures = state.score ?? [null, null];
    const boxes = sides().map(([side, name], k) => {
      const tricks = state.side_tricks ? `<span class="small">${count(state.side_tricks[side], "trick")}</span>` : "";
      const points = figures[side] === null ? "" : `<b>${figures[side]}</b> `;
      return `<span class="box side-${k}"><span class="of">${esc(name)}</span> ${points}${tricks}</span>`;
    });
    const goal = isGame() ? `<span class="small goal">to ${esc(state.options.target)}</span>` : "";
    score = `<span class="sr">Score: </span>${boxes.join("")}${goal}`;
  } else if (isPoker()) {
    score = `<span class="box"><span class="small">row ${Math.min(state.five_o.row, 5)} of 5</span></span>`;
  }
  put("score", score);
  document.querySelectorAll("header [data-do=new], header [data-do=same]").forEach((button) => (button.hidden = !mayControl()));
  document.querySelectorAll("[data-do=new]:not(#result *)").forEach((button) => (button.textContent = isGame() ? "New game" : "New deal"));
  put("undo", live.can?.undo ? '<button type="button" class="quiet" data-do="undo" data-key="undo">Undo</button>' : "");
}

export function drawInfo() {
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
      `<span class="tiny${state.turned_down ? " off" : ""}">${picture(card, "small")}</span><span class="fact"><span class="small">${esc(told)}</span><span class="sr">${cardName(card)}</span></span>`,
    );
  }
  if (state.discard && state.you !== null && !state.deal_over) {
    parts.push(`<span class="tiny off">${picture(state.discard, "small")}</span><span class="fact"><span class="small">${seatOf(state.you).dealer ? "you discarded" : "discarded"}</span><span class="sr">${cardName(state.discard)}</span></span>`);
  }
  if (isTricks()) parts.push(...drawnCommon());
  if (live.undone) parts.push(`<span class="small">${count(live.undone, "move")} taken back</span>`);
  put("info", parts.map((part) => `<span class="item">${part}</span>`).join(""));
}

/** A seat's name on its plate: a policy's place is set apart. */
function plateName(seat) {
  if (seat.seat === state.you && seat.kind === "human") return `<b>You</b>${seat.given ? ` <span class="small">(${esc(seat.given)})</span>` : ""}`;
  const [name, where] = seat.kind === "policy" ? parted(seatName(seat.seat)) : [seatName(seat.seat), ""];
  return `<b title="${esc(seat.policy ?? name)}">${esc(name)}</b>${where ? ` <span class="small">${esc(where)}</span>` : ""}`;
}

export function drawSeats() {
  const shown = isTricks() ? drawnSeats() : ["", "", "", ""];
  for (const seat of isPlain() ? [] : state.seats) {
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
    if (state.you !== null && !own && !isPoker() && seat.side === seatOf(state.you).side) facts.push("partner");
    if (!isPoker()) facts.push(count(seat.tricks, "trick"));
    const acting = state.to_act === n && !state.deal_over;
    const open = state.hands?.[n];
    let cards = "";
    if (open?.length && !isPoker()) {
      if (spot === 0) cards = "";
      else if (state.game === "euchre") cards = `<span class="mini">${open.map((card) => picture(card, "small")).join("")}</span>`;
      else cards = `<span class="diagram">${bySuit(open, suitOrder())}</span>`;
      if (cards) cards = `<span class="cards" role="group" aria-label="${esc(`hand of ${who(n)}: ${open.map(cardName).join(", ")}`)}">${cards}</span>`;
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
      `<span class="name">${plateName(seat)}${tags.join("")}</span>` +
      `<span class="facts">${facts.map((fact) => `<span>${fact}</span>`).join("")}${waiting}</span>${cards}</div>`;
  }
  shown.forEach((html, spot) => put(`seat-${spot}`, html));
}

/** What a card of a trick is called. */
const played = (card) => nameOf(card.card || card.name ? card : null);

/** The cards of a trick, in order of play, each before its player. */
function trickList(cards, winner, name) {
  const rows = cards.map((one, k) => {
    const { seat, card } = one;
    const best = seat === winner;
    const key = esc(one.name ?? card ?? `unseen-${k}`);
    const whose = state.seats.length > 4 ? `<span class="small" aria-hidden="true">${esc(Who(seat))}</span>` : "";
    return (
      `<li class="at-${place(seat)}${best ? " best" : ""}" data-key="${key}" data-seat="${seat}" data-card="${key}">${drawnCard(one, narrow.matches ? "jumbo" : "card")}` +
      `<span class="order" aria-hidden="true">${k + 1}</span>${whose}` +
      `<span class="sr">${esc(Who(seat))}: ${esc(played(one))}${k === 0 ? ", led" : ""}${best ? `, ${name}` : ""}</span></li>`
    );
  });
  return rows.join("");
}

/** A trick in the middle: at its seats, or in a row where there are more than four. */
const trickPart = (cards, winner, name, kind, label) =>
  `<ol class="trick${kind}${state.seats.length > 4 ? " line" : ""}" id="trick" aria-label="${label}">${trickList(cards, winner, name)}</ol>`;

export function drawMiddle() {
  let html = "";
  if (isPlain() && !isTricks()) {
    put("middle", "");
    put("last", "");
    return;
  }
  if (isPoker()) {
    const { card } = state.five_o;
    const whose = who(state.to_act) === "you" ? "your card" : `card of ${esc(who(state.to_act ?? seatAt(0)))}`;
    if (card) html = `<div class="inhand">${picture(card, narrow.matches ? "jumbo" : "card")}<p>${whose}<span class="sr">: ${cardName(card)}</span></p></div>`;
    else if (!state.deal_over) html = `<div class="inhand none">${picture(null)}<p>${whose}</p></div>`;
  } else if (state.phase === "ordering" || (state.phase === "calling" && !state.trick.length)) {
    if (state.turned) {
      const down = state.phase === "calling";
      html = `<div class="turned${down ? " off" : ""}">${picture(state.turned)}<p>${cardName(state.turned)}, turned ${down ? "down" : "up"}</p></div>`;
    }
  } else if (state.trick.length) {
    html = trickPart(state.trick, state.trick_winning, "winning", "", "Trick");
  } else if (state.last_trick && !state.deal_over) {
    // The finished trick stays in sight until the next card.
    html = trickPart(state.last_trick.cards, state.last_trick.winner, "won", " done", "Last trick");
  } else if (!state.deal_over) {
    html = '<ol class="trick" id="trick" aria-label="Trick"></ol>';
  }
  put("middle", html);

  let last = "";
  if (!isPoker() && state.last_trick) {
    last = `<button type="button" class="quiet" data-do="last" data-key="last" aria-expanded="${mind.showLast}" aria-controls="last-cards">Last trick</button>`;
    if (mind.showLast) {
      const { cards, winner } = state.last_trick;
      const list = cards.map(
        ({ seat, ...card }) =>
          `<li${seat === winner ? ' class="best"' : ""}>${drawnCard(card)}<span class="small" aria-hidden="true">${esc(Who(seat))}</span>` +
          `<span class="sr">${esc(who(seat))}: ${esc(played(card))}${seat === winner ? ", won" : ""}</span></li>`,
      );
      last += `<ol id="last-cards">${list.join("")}</ol>`;
    }
  }
  put("last", last);
}

// --- a spectator's table ---

export function drawControls(watching) {
  if (!watching) {
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

export function drawFailures(policies) {
  const rows = state.seats
    .filter((seat) => seat.failed)
    .map(
      (seat) =>
        `<div class="banner bad"><p><b>${esc(Who(seat.seat))}</b>: ${esc(seat.failed)}. The game is kept.</p>` +
        (mayControl()
          ? `<div class="row"><button type="button" data-do="retry" data-key="retry-${seat.seat}">Retry</button>` +
            `<label class="sr" for="replace-${seat.seat}">Replace by</label><select id="replace-${seat.seat}" data-key="select-${seat.seat}">${policies.map((name) => `<option>${esc(name)}</option>`).join("")}</select>` +
            `<button type="button" data-do="replace" data-seat="${seat.seat}" data-key="replace-${seat.seat}">Replace</button></div>`
          : "") +
        "</div>",
    );
  if (Number.isInteger(state.waits)) rows.push(`<div class="banner"><p>You sit down at seat ${state.waits} with the next deal; till then you look on.</p></div>`);
  if (state.trouble) rows.push(`<div class="banner"><p>${esc(capital(state.trouble))}.</p></div>`);
  put("failures", rows.join(""));
}
