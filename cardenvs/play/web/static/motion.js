// Cards that are seen to move: dealt, played, taken as a trick. All of it is short, and none of it where the system or the
// person asks for stillness.

import { $, place, remembered, state } from "./page.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");
const moves = () => remembered.motion && !still.matches && document.visibilityState === "visible";
const PLAYED = 230;
const DEALT = 200;
const BETWEEN = 26; // from one dealt card to the next

const centre = (box) => [box.left + box.width / 2, box.top + box.height / 2];
const find = (selector) => new Map(Array.from(document.querySelectorAll(selector), (card) => [card.dataset.card, card]));
const slots = () => Array.from(document.querySelectorAll(".column"), (column) => column.querySelectorAll(".slot .card").length);

/** Where the cards lie before the page is drawn anew; null if nothing is to move. */
export function before() {
  if (!moves() || !state) return null;
  const boxes = (cards) => new Map([...cards].map(([card, element]) => [card, element.getBoundingClientRect()]));
  const trick = find("#trick li");
  return {
    hand: boxes(find("#hand [data-card]")),
    trick: boxes(trick),
    faces: new Map([...trick].map(([card, element]) => [card, element.firstElementChild.cloneNode(true)])),
    middle: $("middle").querySelector(".inhand .card, .turned .card")?.getBoundingClientRect(),
    slots: slots(),
  };
}

/** Lets a card come from where another box was. */
function fly(element, from, timing = {}) {
  const to = element.getBoundingClientRect();
  if (!to.width || !from) return;
  const [x, y] = centre(from);
  const [u, v] = centre(to);
  const size = Math.max(0.35, Math.min(from.width / to.width, 1.2));
  element.animate(
    [{ transform: `translate(${x - u}px, ${y - v}px) scale(${size})`, opacity: 0.5 }, { transform: "none", opacity: 1 }],
    { duration: PLAYED, easing: "cubic-bezier(0.2, 0.7, 0.3, 1)", fill: "backwards", ...timing },
  );
}

const plate = (seat) => document.querySelector(`:is(.plate, .owner)[data-seat="${seat}"]`)?.getBoundingClientRect();

/** A finished trick goes to the seat that won it. */
function take(were, winner) {
  const home = plate(winner);
  if (!home) return;
  for (const [card, box] of were.trick) {
    const ghost = document.createElement("div");
    ghost.className = "ghost";
    ghost.append(were.faces.get(card));
    Object.assign(ghost.style, { left: `${box.left}px`, top: `${box.top}px`, width: `${box.width}px`, height: `${box.height}px` });
    document.body.append(ghost);
    const [x, y] = centre(box);
    const [u, v] = centre(home);
    const going = ghost.animate(
      [{ transform: "none", opacity: 0.9 }, { transform: `translate(${u - x}px, ${v - y}px) scale(0.3)`, opacity: 0 }],
      { duration: PLAYED + 60, easing: "ease-in" },
    );
    going.onfinish = going.oncancel = () => ghost.remove();
  }
}

/** Moves what has changed since `before`.
 * @param were what `before` gave
 * @param old the state before
 * @param dealt whether a deal has begun
 */
export function after(were, old, dealt) {
  if (!were) return;
  if (dealt) {
    const from = document.querySelector("#middle")?.getBoundingClientRect();
    document.querySelectorAll("#hand .held > .card").forEach((card, k) => fly(card, from, { duration: DEALT, delay: k * BETWEEN }));
    document.querySelectorAll(".column .slot .card").forEach((card, k) => fly(card, from, { duration: DEALT, delay: k * BETWEEN }));
    return;
  }
  const now = find("#trick li");
  for (const [card, element] of now) {
    if (!were.trick.has(card)) fly(element, were.hand.get(card) ?? plate(element.dataset.seat));
  }
  if (were.trick.size && ![...were.trick.keys()].some((card) => now.has(card)) && old.last_trick) {
    take(were, state.last_trick?.winner ?? old.last_trick.winner);
  }
  const full = slots();
  document.querySelectorAll(".column").forEach((column, k) => {
    if (full[k] > (were.slots[k] ?? full[k])) fly(column.querySelectorAll(".slot .card")[full[k] - 1], were.middle);
  });
  if (state.hand && old.hand && place(state.you) === 0) {
    // A card taken up comes from the middle.
    for (const [card, element] of find("#hand [data-card]")) {
      if (!were.hand.has(card) && were.middle) fly(element.firstElementChild, were.middle);
    }
  }
}
