// The keyboard: letters and digits for cards, bids and columns, arrows in the hand and through a finished deal.

import { SUIT_NAMES, cardName, rankName, ranksOf } from "./cards.js";
import { keyed, plainStand } from "./board.js";
import { callKey, inOrder, prompt } from "./hand.js";
import { directs, isPlain, isPoker, live, mayControl, mind, mine, remembered, root, state, stepping } from "./page.js";
import { toggleRecord } from "./record.js";
import { leave, moveText, steps } from "./replay.js";
import { sides, who } from "./words.js";
import { explain, say } from "./write.js";

/** Where the game stands, for the ear. */
function stand() {
  const parts = [stepping() ? moveText() : prompt()];
  if (state.trump) parts.push(`trump is ${SUIT_NAMES[state.trump]}`);
  if (state.trick?.length) parts.push(`in the trick: ${state.trick.map(({ seat, ...card }) => `${who(seat)} ${card.card ? cardName(card.card) : (card.name ?? "a card face down")}`).join(", ")}`);
  if (state.five_o?.card) parts.push(`in hand: ${cardName(state.five_o.card)}`);
  if (state.hand?.length) parts.push(`you hold ${inOrder(state.hand).map(cardName).join(", ")}`);
  const [us, them] = sides().map(([side]) => side);
  parts.push(...plainStand());
  if (!isPoker() && !isPlain() && state.side_tricks) parts.push(`tricks ${state.side_tricks[us]} to ${state.side_tricks[them]}`);
  if (state.score) parts.push(`score ${state.score[us]} to ${state.score[them]}`);
  say(parts.join(". "));
  explain(parts.join(". "));
}

/** Moves the focus among the cards of the hand or the columns. */
function walk(event) {
  if (event.target.matches("[data-pick]")) return walkTable(event);
  const bar = event.target.closest("[role=toolbar]");
  if (!bar) return false;
  const items = [...bar.children];
  const now = items.indexOf(event.target.closest("button"));
  const to = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: items.length - 1 }[event.key];
  if (to === undefined) return false;
  mind.picked = (to + items.length) % items.length;
  items.forEach((item, k) => (item.tabIndex = k === mind.picked ? 0 : -1));
  items[mind.picked].focus();
  return true;
}

/** Moves the focus among the cards of a plain table that can be chosen. */
function walkTable(event) {
  const cards = [...document.querySelectorAll("[data-pick]")];
  const now = cards.indexOf(event.target);
  const to = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: cards.length - 1 }[event.key];
  if (to === undefined) return false;
  cards[(to + cards.length) % cards.length].focus();
  return true;
}

/** Goes through a finished deal. */
function stepAlong(event) {
  if (!stepping()) return false;
  const step = {
    ArrowLeft: event.shiftKey ? steps.trickBack : steps.back,
    ArrowRight: event.shiftKey ? steps.trickOn : steps.on,
    Home: steps.first,
    End: steps.last,
    Escape: leave,
  }[event.key];
  step?.();
  return Boolean(step);
}

function typeCard(key, act) {
  const rank = key === "0" ? "T" : key.toUpperCase();
  if (mind.typed && "cdhs".includes(key)) {
    const card = mind.typed + key;
    mind.typed = "";
    if (state.hand?.includes(card)) act(state.legal.find((move) => move.card === card)?.action ?? card);
    else explain(`you do not hold the ${cardName(card)}`);
    return true;
  }
  mind.typed = "";
  if (!ranksOf(state.game).includes(rank)) return false;
  mind.typed = rank;
  explain(`${rankName(rank)} of …`);
  return true;
}

/** Listens to the keyboard.
 * @param act does an action
 * @param commands what buttons do, by name
 * @param open opens a dialog
 * @param focusAction takes the focus to what is to be done next
 */
export function listen(act, commands, open, focusAction) {
  function shortcut(event) {
    const key = event.key.toLowerCase();
    if (isPlain()) {
      const given = keyed();
      const move = /^[1-9]$/.test(key) && given.length < 10 ? given[Number(key) - 1] : undefined;
      if (move) return act(move.action), true;
    } else if (mine() && !isPoker()) {
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
      mind.picked = Number(key) - 1;
      act(`column-${key}`);
      return true;
    }
    if (event.key === "?") return open("help"), true;
    if (event.shiftKey) return false;
    if (!isPoker() && state.hand?.length && typeCard(key, act)) return true;
    const does = {
      l: () => state.last_trick && commands.last(),
      i: commands.hint,
      u: () => live.can?.undo && commands.undo(),
      h: () => commands.record(),
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
    if (event.key === "Escape" && root.dataset.record === "open") {
      toggleRecord(false);
      return;
    }
    const scrolls = event.target.closest("#log, .scroll, code");
    if (walk(event) || (!scrolls && stepAlong(event)) || (remembered.keys && event.key.length === 1 && event.key !== " " && shortcut(event))) {
      event.preventDefault();
    }
  });
}
