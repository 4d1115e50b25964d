// The end of a deal: who won, how it goes on, and what the moves cost.

import { rankingPart } from "./board.js";
import { isGame, isPlain, isPoker, live, mayControl, seatOf, state, stepping } from "./page.js";
import { reviewPart } from "./replay.js";
import { brief, count, seatName, sentence, sides } from "./words.js";
import { esc, put } from "./write.js";

function headline(result) {
  if (state.you === null || result.winner === undefined) return "The deal is over";
  if (isPlain()) return plainHeadline(result);
  const us = seatOf(state.you).side;
  if (state.episode_over && isGame()) return result.winner === us ? "You have won the game" : "The game is lost";
  if (result.winner === null) return isPoker() ? "A draw" : "Nobody scores";
  if (isPoker()) return result.winner === us ? "You win" : "You lose";
  return result.winner === us ? "Your side scores" : "The other side scores";
}

function plainHeadline({ points, ranking, winner }) {
  if (points?.length === 1) return count(points[0], "point");
  const side = seatOf(state.you).side;
  const own = ranking?.find((one) => one.side === side);
  if (!own) return "The deal is over";
  if (own.rank > 1) return `You come ${own.place}`;
  return winner === side ? "You win" : "You share the first place";
}

export function drawResult() {
  if (!state.deal_over || stepping()) {
    put("result", "");
    return;
  }
  const result = state.result ?? {};
  const rows = [];
  if (result.tricks && !isPoker() && !isPlain() && !isGame()) rows.push(["Tricks", result.tricks]);
  if (result.points && !isPoker() && !isPlain()) rows.push(["Points", result.points]);
  if (state.score && isGame()) rows.push(["Score", state.score]);
  const [[us, ours], [them, theirs] = []] = sides();
  const table = rows.length
    ? `<table><thead><tr><td></td><th scope="col">${esc(ours)}</th><th scope="col">${esc(theirs)}</th></tr></thead><tbody>` +
      rows.map(([name, pair]) => `<tr><th scope="row">${name}</th><td>${pair[us]}</td><td>${pair[them]}</td></tr>`).join("") +
      "</tbody></table>"
    : rankingPart();
  const next = state.sheet?.next_dealer ?? null;
  const button = (act, label, main) => `<button type="button" data-do="${act}" data-key="${act}"${main ? ' class="main"' : ""}>${label}</button>`;
  const goOn = [];
  const look = [];
  if (mayControl()) {
    if (!state.episode_over) goOn.push(button("next", "Next deal", true));
    goOn.push(button("new", isGame() ? "New game" : "New deal", state.episode_over));
    goOn.push(button("same", "Same deal"));
  }
  if (live.can?.replay) look.push(button("replay", "Replay"));
  if (live.can?.review) look.push(button("review", "Review"));
  if (mayControl()) look.push(button("save", "Save …"));
  const line = state.text
    ? `<details><summary data-key="text">The deal as text</summary><code tabindex="0" data-key="code">${esc(state.text)}</code></details>`
    : "";
  const away = [];
  if (next !== null && !state.episode_over) away.push(next === state.you ? "you deal next" : `${seatName(next)} deals next`);
  if (state.kitty?.length) away.push(`kitty ${state.kitty.map(brief).join(" ")}`);
  if (state.discard) away.push(`discarded ${brief(state.discard)}`);
  if (state.hands && !isPoker()) away.push("hands are shown as dealt");
  put(
    "result",
    `<div class="panel"><h2>${esc(headline(result))}</h2><p>${esc(sentence(result.text ?? ""))}</p>${table}` +
      `${away.length ? `<p class="small">${esc(sentence(away.join("; ")))}.</p>` : ""}` +
      `<div class="row">${goOn.join("")}</div>${look.length ? `<div class="row">${look.join("")}</div>` : ""}${reviewPart()}${line}</div>`,
  );
}
