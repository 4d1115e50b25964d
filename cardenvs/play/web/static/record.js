// What has been: the tricks of the deal, the deals of the game, and both in words. Beside the table; on a phone a drawer.

import { sheetPart } from "./board.js";
import { ranksOf, shortWord } from "./cards.js";
import { $, isPlain, isPoker, isTricks, live, mine, remembered, root, state, stepping, turnsTo } from "./page.js";
import { prompt } from "./hand.js";
import { Who, briefly, cardText, seatName, sides } from "./words.js";
import { esc, put, say } from "./write.js";

/** The tricks, a row each, a column a seat; the last row fills as cards are played. */
function drawTricks() {
  const { tricks } = state;
  if (isPoker() || !tricks) {
    put("tricks", "");
    return;
  }
  const order = [...state.seats].sort((a, b) => turnsTo(a.seat) - turnsTo(b.seat)).map((seat) => seat.seat);
  const rows = [...tricks];
  if (state.trick.length) rows.push({ leader: state.trick[0].seat, cards: state.trick, winner: null });
  const all = isTricks() ? rows.length : ranksOf(state.game).length === 6 ? 5 : 13;
  const cell = (trick, seat) => {
    const played = trick.cards.find((one) => one.seat === seat);
    if (!played) return "<td></td>";
    const led = trick.leader === seat;
    const won = trick.winner === seat;
    const text = played.card ? cardText(played.card) : esc((played.name ?? "?").split(" ").map((word) => shortWord(word, 7)).join(" "));
    return `<td${won ? ' class="won"' : ""}><span${played.card ? "" : ' class="named"'}>${led ? '<i aria-hidden="true">▸</i>' : ""}${text}${led ? '<span class="sr">, led</span>' : ""}${won ? '<span class="sr">, won</span>' : ""}</span></td>`;
  };
  const body = Array.from({ length: all }, (_, k) => {
    const trick = rows[k];
    const cells = trick ? order.map((seat) => cell(trick, seat)).join("") : "<td></td>".repeat(order.length);
    return `<tr data-key="${k}"${trick && trick.winner !== null ? ' class="full"' : ""}><th scope="row">${k + 1}</th>${cells}</tr>`;
  });
  const bids = (state.bids ?? []).map((bid) => `<span>${esc(briefly(bid.seat))} <b>${esc(bid.label)}</b></span>`);
  put(
    "tricks",
    (bids.length ? `<p class="bids small"><span class="sr">Bids: </span>${bids.join(" ")}</p>` : "") +
      `<table class="tricks"><caption class="sr">Tricks of this deal</caption><thead><tr><td></td>${order.map((seat) => `<th scope="col" title="${esc(seatName(seat))}">${esc(briefly(seat))}</th>`).join("")}</tr></thead><tbody>${body.join("")}</tbody></table>` +
      '<p class="key small" aria-hidden="true"><i>▸</i> led <b></b> won</p>',
  );
}

/** The deals of the game so far, with the running score. */
function drawSheet() {
  const { sheet } = live;
  $("sheet").hidden = !sheet;
  if (!sheet) return;
  if (isPlain()) {
    put("score-sheet", sheetPart(sheet));
    return;
  }
  const both = sides();
  const dealers = !isPoker();
  const rows = sheet.deals.map(({ number, dealer, points, score, text }) => {
    const cells = both.map(([side]) => `<td>${score[side]}${points[side] ? ` <span class="small">+${points[side]}</span>` : ""}</td>`);
    return `<tr data-key="${number}" title="${esc(text)}"><th scope="row">${number}</th>${dealers ? `<td class="dealer">${dealer === null ? "" : esc(briefly(dealer))}</td>` : ""}${cells.join("")}</tr>`;
  });
  const total = both.map(([side]) => `<td>${sheet.total[side]}</td>`).join("");
  const next = sheet.next_dealer;
  const deals = next === null ? "" : `<p class="small" id="next-dealer">Next to deal: ${esc(Who(next))}</p>`;
  put(
    "score-sheet",
    `<table class="sheet"><caption class="sr">Score sheet</caption><thead><tr><th scope="col">Deal</th>${dealers ? '<th scope="col" class="dealer">Dealer</th>' : ""}${both.map(([, name]) => `<th scope="col">${esc(name)}</th>`).join("")}</tr></thead>` +
      `<tbody>${rows.join("")}</tbody><tfoot><tr><th scope="row"${dealers ? ' colspan="2"' : ""}>${sheet.target ? `To ${sheet.target}` : "Won"}</th>${total}</tr></tfoot></table>${deals}`,
  );
}

let told = [];

/** The log, and what is new of it for screen readers. */
function drawLog() {
  const lines = live.log ?? [];
  put("log", lines.length ? `<ol>${lines.map((line) => `<li>${esc(line)}</li>`).join("")}</ol>` : '<p class="small">Nothing yet.</p>');
  const on = told.length <= lines.length && told.every((line, k) => line === lines[k]);
  const news = on ? lines.slice(told.length) : lines;
  if (news.length || !on) $("log").scrollTop = $("log").scrollHeight;
  told = lines;
  if (stepping()) return;
  const message = [...news.slice(-8), ...(mine() || state.deal_over ? [prompt()] : [])].join(". ");
  if (message && message !== say.last) say(message);
}

export function drawRecord() {
  drawTricks();
  drawSheet();
  drawLog();
  const words = $("words");
  const wanted = isPoker() || !live.tricks || remembered.words;
  if (words.dataset.set !== String(wanted)) {
    words.open = wanted;
    words.dataset.set = String(wanted);
  }
}

/** Opens or closes the drawer, where the record is one. */
export function toggleRecord(on = root.dataset.record !== "open") {
  if (on === (root.dataset.record === "open")) return;
  root.dataset.record = on ? "open" : "closed";
  const button = document.querySelector("header [data-do=record]");
  button.setAttribute("aria-expanded", String(on));
  if (on) $("record").focus({ preventScroll: true });
  else if ($("record").contains(document.activeElement)) button.focus({ preventScroll: true });
}
