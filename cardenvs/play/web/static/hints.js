// Hints: what a policy thinks of each move, as bars on the cards and in a list.

import { cardName } from "./cards.js";
import { $, isPlain, known, mind, mine, redraw, remembered, state } from "./page.js";
import { isCard, shortLabel } from "./words.js";
import { esc, put, say } from "./write.js";

// Policies that explain themselves come first.
const ADVISERS = ["learned", "pimc", "poe", "monte-carlo", "learned-search", "ismcts", "exact", "expectiminimax", "rollout"];
const advisers = () => {
  const first = [...(isPlain() ? ["pipmc"] : []), ...ADVISERS].filter((name) => known.includes(name));
  return [...first, ...known.filter((name) => !first.includes(name))];
};

const given = () => mind.hint && mind.hint.version === state.version && mine();
const hinted = (action) => (given() ? mind.hint.values.get(action) : undefined);
/** What stands behind an action's number, after a comma; "" if nothing is known. */
const behind = (action) => mind.hint.tried.get(action);

function figure(value) {
  const { kind } = mind.hint;
  if (kind === "choice") return "this";
  if (kind === "probability") return `${Math.round(100 * value)}%`;
  if (kind === "percent") return `${Math.round(value)}%`;
  return `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value).toFixed(2)}`;
}

/** The length of a bar, 0 to 100: of the whole for shares, between worst and best for values. */
function length(value) {
  const { kind, values } = mind.hint;
  if (kind === "probability") return 100 * value;
  if (kind === "percent") return value;
  if (kind === "choice") return 100;
  const low = Math.min(...values.values());
  const high = Math.max(...values.values());
  return high > low ? 12 + (88 * (value - low)) / (high - low) : 100;
}

export function bar(action) {
  const value = hinted(action);
  if (value === undefined) return "";
  const top = value === Math.max(...mind.hint.values.values());
  return (
    `<span class="hint${top ? " top" : ""}" title="${esc(behind(action).slice(2))}"><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false">` +
    `<rect width="100" height="8" class="track"/><rect width="${length(value).toFixed(1)}" height="8"/></svg><span>${figure(value)}</span></span>`
  );
}

export const isHinted = (action) => hinted(action) !== undefined;

/** The hint on an action in words, for a label. */
export const hintWords = (action) => {
  const value = hinted(action);
  return value === undefined ? "" : `, ${mind.hint.policy}: ${figure(value)}${behind(action)}`;
};

export function drawHints() {
  document.getElementById("hints").hidden = state.you === null;
  if (state.you === null) return;
  const names = advisers();
  const chosen = remembered.policy[state.game] ?? names[0];
  const options = (names.includes(chosen) ? names : [chosen, ...names])
    .map((name) => `<option${name === chosen ? " selected" : ""}>${esc(name)}</option>`)
    .join("");
  put(
    "hint-form",
    `<div class="row"><label class="sr" for="hint-policy">Policy that advises</label><select id="hint-policy" data-key="hint-policy">${options}</select>` +
      `<button type="button" data-do="hint" data-key="hint"${mine() && !mind.asked ? "" : ' aria-disabled="true"'}>${mind.asked ? "Asking …" : "Hint"}</button></div>` +
      `<label class="switch"><input type="checkbox" id="hint-auto" data-key="hint-auto"${remembered.auto ? " checked" : ""}> On each of my turns</label>`,
  );
  let list = "";
  if (given()) {
    const { kind, policy, values } = mind.hint;
    const what = { percent: "percent", probability: "probability", value: "value", choice: "its choice" }[kind] ?? kind;
    const rows = [...values].sort((a, b) => b[1] - a[1]);
    list =
      `<table class="bars"><caption>${esc(`${policy}: ${what}`)}</caption><tbody>` +
      rows.map(([action]) => `<tr><th scope="row">${esc(named(action))}</th><td>${bar(action)}<span class="sr">${esc(behind(action))}</span></td></tr>`).join("") +
      "</tbody></table>";
  }
  put("hint-list", list);
}

/** An action in the list: on a plain table as its button says. */
const named = (action) => (isPlain() ? (mind.hint.labels.get(action) ?? action) : shortLabel(action));

export function askHint(transmit) {
  if (!mine() || mind.asked) return;
  const policy = $("hint-policy")?.value ?? remembered.policy[state.game] ?? advisers()[0];
  mind.asked = { policy, version: state.version };
  mind.hint = null;
  drawHints();
  transmit({ type: "hint", policy });
}

/** Whether a hint should be asked for without a click. */
export const wantsHint = () => remembered.auto && mine() && !mind.asked && mind.hint?.version !== state.version;

/** Takes the answer of the server. */
export function takeHint(message) {
  mind.asked = null;
  const values = new Map(message.bars.filter((b) => b.value !== null).map((b) => [b.action, b.value]));
  const by = (read) => new Map(message.bars.map((b) => [b.action, read(b)]));
  mind.hint = { policy: message.policy, kind: message.kind, version: message.version, values, labels: by((b) => b.label), tried: by((b) => b.tried && `, ${b.tried}`) };
  if (given() && values.size) {
    const [best] = [...values].sort((a, b) => b[1] - a[1]);
    say(`${message.policy} advises: ${isPlain() ? named(best[0]) : isCard(best[0]) ? cardName(best[0]) : best[0].replaceAll("-", " ")}, ${figure(best[1])}`);
  }
  redraw();
}
