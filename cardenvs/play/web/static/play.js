// The page of a card table: draws the states that the server sends, and sends what the person does.
//
// For tests and scripts, document.documentElement.dataset.version is the version of the state that is drawn.

import { drawPlain, showChoices } from "./board.js";
import { install } from "./cards.js";
import { drawBoards } from "./columns.js";
import { applySettings, askFirst, open } from "./dialogs.js";
import { drawActions, drawHand, prompt, whyNot } from "./hand.js";
import { askHint, drawHints, takeHint, wantsHint } from "./hints.js";
import { listen } from "./keys.js";
import { after, before } from "./motion.js";
import { $, directs, isGame, isPlain, isTricks, known, knows, live, mind, mine, narrow, onRedraw, redraw, remember, remembered, root, state, stepping, take } from "./page.js";
import { drawReadouts } from "./readouts.js";
import { drawRecord, toggleRecord } from "./record.js";
import { askReview, drawStepper, forget, leave, mark, markColumns, stepFrom, steps, takePositions, takeReview } from "./replay.js";
import { drawResult } from "./result.js";
import { sound } from "./sound.js";
import { drawControls, drawFailures, drawInfo, drawMiddle, drawSeats, drawTop } from "./table.js";
import { sentence } from "./words.js";
import { complain, esc, explain, fill, lostFocus, put, tidy } from "./write.js";

let socket = null;

// --- drawing ---

function draw() {
  tidy();
  const turn = mine();
  root.dataset.game = state.game;
  root.dataset.plain = isTricks() ? "tricks" : isPlain() ? "yes" : "no";
  root.dataset.phase = state.phase;
  root.dataset.turn = turn ? "yes" : "no";
  root.dataset.watching = state.you === null ? "yes" : "no";
  root.dataset.stepping = stepping() ? "yes" : "no";
  lostFocus();
  drawTop();
  drawInfo();
  drawSeats();
  drawMiddle();
  drawPlain();
  drawBoards(markColumns());
  put("prompt", stepping() ? "" : esc(sentence(prompt())));
  drawActions();
  drawHand(mark());
  drawStepper();
  drawResult();
  drawControls(directs() && !stepping());
  drawHints();
  drawReadouts();
  drawFailures(known);
  drawRecord();
  // Who went through the hand meanwhile goes on with a card that may be played.
  const begins = turn && root.dataset.drawnTurn !== "yes";
  const stale = begins && document.activeElement.closest?.("#hand, #board-0")?.contains(document.activeElement);
  root.dataset.drawnTurn = turn ? "yes" : "no";
  // The focus waits at one's place while others play.
  const waits = document.activeElement === $("own") && (begins || state.deal_over);
  if (lostFocus() || waits || (stale && document.activeElement.getAttribute("aria-disabled") === "true")) focusAction();
  root.dataset.version = state.version;
  root.dataset.over = state.deal_over && !stepping() ? "yes" : "no";
}

/** Takes the focus to what is to be done next, where the element that had it has gone. */
function focusAction() {
  const next = stepping()
    ? document.querySelector("#stepper [data-step=on]")
    : state.deal_over
      ? document.querySelector("#result button")
      : document.querySelector("#actions button, #hand [tabindex='0'], #board-0 [tabindex='0'], [data-pick]");
  (next ?? $("own")).focus({ preventScroll: true });
}

// --- messages ---

function transmit(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  else complain("Not connected to the table just now.");
}

function act(action) {
  if (!state || mind.sent === state.version) return;
  if (!mine() || !state.legal.some((move) => move.action === action)) {
    explain(whyNot(action));
    return;
  }
  mind.sent = state.version;
  root.dataset.sent = state.version;
  transmit({ type: "act", action, version: state.version });
}

/** The sound of what has happened between two states. */
function heard(old, dealt) {
  if (dealt) sound("deal");
  else if (state.deal_over && !old.deal_over) sound("over");
  else if ((state.log?.length ?? 0) > (old.log?.length ?? 0)) sound(state.last_trick && !state.trick?.length && old.trick?.length ? "trick" : "card");
  if (mine() && !(old.to_act === old.you && !old.deal_over && !dealt)) sound("turn");
}

const receive = {
  welcome(message) {
    knows(message.policies, message.rules);
  },
  state(message) {
    const old = live;
    const moved = !old || old.version !== message.version;
    const same = old && old.deal_over && message.deal_over && old.text === message.text;
    // Who steps through a finished deal goes on with that meanwhile.
    if (stepping() && same) return;
    const were = old && !stepping() && moved ? before() : null;
    take(message);
    mind.sent = null;
    const dealt = Boolean(old) && moved && anotherDeal(old, message);
    if (!message.deal_over || !same) forget();
    if (old && moved) {
      $("why").textContent = "";
      complain("");
      mind.chosen = "";
      if (mind.asked && mind.asked.version !== message.version) mind.asked = null;
    }
    draw();
    if (old && moved) {
      after(were, old, dealt);
      heard(old, dealt);
    }
    const own = message.seats[message.you];
    if (remembered.name && !old && own?.kind === "human" && own.given === null) {
      transmit({ type: "name", name: remembered.name });
    }
    if (wantsHint()) askHint(transmit);
  },
  error(message) {
    mind.sent = null;
    mind.asked = null;
    complain(message.message);
    if (state) draw();
  },
  preparing({ what, seconds }) {
    root.dataset.preparing = what ? "yes" : "no";
    const about = seconds ? `, about ${seconds} s` : "";
    const text = `Being prepared: ${what}${about}. What is compiled is kept: that is done once on a machine.${live ? "" : " The table opens by itself."}`;
    fill($("preparing"), what ? `<div class="banner"><p>${esc(text)}</p></div>` : "");
    if (!state) put("prompt", what ? "The table is being prepared" : "Waiting for the table");
  },
  hint: takeHint,
  replay: takePositions,
  review: takeReview,
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

/** Whether a deal begins: another one, or the same again. */
function anotherDeal(old, now) {
  if (now.deal_over || old.deal_over) return !now.deal_over;
  if (old.log.length && !now.log.length) return true;
  const opening = ({ five_o, turned, shown }) => (five_o ? five_o.columns.map((side) => side.map((column) => column[0])).join() : (turned ?? shown));
  if (opening(old) !== opening(now)) return true;
  if (now.five_o || !now.hand || !old.hand) return false;
  // A hand shrinks as it is played, and grows as moves are taken back.
  const [few, many] = now.hand.length < old.hand.length ? [now.hand, old.hand] : [old.hand, now.hand];
  return few.some((card) => !many.includes(card));
}

let tries = 0;
let timer = 0;
let ended = ""; // why this page's link has ended: there is nothing to connect to again

/** Says that the link has ended, and where one can look on. */
function tellEnd(message, path) {
  ended = message;
  root.dataset.connected = "no";
  fill($("alert"), `<div class="banner"><p>${esc(message)}${path ? ` <a href="${esc(path)}">Look on</a>` : ""}</p></div>`);
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
      fetch(location.pathname)
        .then(async (answer) => answer.status === 403 && (clearTimeout(timer), tellEnd(await answer.text())))
        .catch(() => {});
    }
    root.dataset.connected = "no";
    mind.sent = mind.asked = null;
    const wait = Math.min(8000, 400 * 2 ** tries) * (0.75 + Math.random() / 2);
    tries += 1;
    fill(
      $("alert"),
      `<div class="banner"><p>The connection to the table is lost; trying again${tries > 1 ? ` in ${Math.ceil(wait / 1000)} s` : ""} …</p>` +
        '<button type="button" data-do="connect">Now</button></div>',
    );
    timer = setTimeout(connect, wait);
  };
}

// --- what buttons, fields and keys do ---

const commands = {
  new: () => askFirst(isGame() ? "New game" : "New deal", true, () => transmit({ type: "new" })),
  same: () => askFirst("Same deal", false, () => transmit({ type: "same" })),
  next: () => transmit({ type: "next" }),
  save: () => transmit({ type: "save" }),
  undo: () => transmit({ type: "undo", version: state.version }),
  replay: () => stepFrom(transmit),
  review: () => askReview(transmit),
  leave,
  choices: showChoices,
  card: (button) => {
    const at = button.dataset.cardAt;
    mind.chosen = mind.chosen === at ? "" : at;
    redraw();
    document.querySelector(".behind-hand .calls")?.scrollIntoView({ block: "nearest" });
  },
  turned: (button) => {
    const pile = Number(button.dataset.pile);
    if (!mind.turned.delete(pile)) mind.turned.add(pile);
    redraw();
  },
  record: () => toggleRecord(),
  hint: () => askHint(transmit),
  last: () => {
    mind.showLast = !mind.showLast;
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
  const button = event.target.closest("[data-action], [data-do], [data-open], [data-step], [data-goto]");
  if (!button || button.disabled) return;
  const { action, do: command, open: dialog, step, goto } = button.dataset;
  if (action) {
    const row = [...button.parentElement.children].indexOf(button);
    if (row >= 0 && (button.dataset.card || button.dataset.column)) mind.picked = row;
    act(action);
  } else if (dialog) {
    open(dialog);
  } else if (step) {
    if (button.getAttribute("aria-disabled") !== "true") steps[step]();
  } else if (goto) {
    stepFrom(transmit, Number(goto));
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
    if (remembered.auto) askHint(transmit);
  } else if (input.id === "hint-auto") {
    remember("auto", input.checked);
    drawHints();
    if (wantsHint()) askHint(transmit);
  } else if (input.id === "keys") {
    remember("keys", input.checked);
    drawActions();
  } else if (input.id === "sound") {
    sound("turn"); // this click allows the browser to sound, and says how it will be
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
  form.closest("dialog").close();
  if (form.id === "seed-form") askFirst("Deal", true, () => transmit({ type: "new", seed: Number($("seed").value) }));
  else if (form.id === "line-form") askFirst("Deal", true, () => transmit({ type: "new", line: $("line").value.trim() }));
  else if (form.id === "load-form") askFirst("Load", true, () => transmit({ type: "load", text: $("loaded").value }));
  else if (form.id === "name-form") {
    remember("name", $("own-name").value.trim());
    transmit({ type: "name", name: remembered.name });
  } else if (form.dataset.seat) transmit({ type: "seat", seat: Number(form.dataset.seat), policy: form.querySelector("input").value.trim() });
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

$("words").addEventListener("toggle", () => {
  const on = $("words").open;
  if (String(on) === $("words").dataset.set) return;
  $("words").dataset.set = String(on);
  remember("words", on);
});

install();
applySettings();
onRedraw(() => state && draw());
$("keys").checked = remembered.keys;
listen(act, commands, open, focusAction);
narrow.addEventListener("change", () => state && draw());
window.addEventListener("online", () => !ended && socket?.readyState === WebSocket.CLOSED && connect());
connect();
