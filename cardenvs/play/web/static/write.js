// Writing into the page. A region is described as markup, and what is there already stays: cards, the focus, an open list.
// Text that the page has not written itself, above all what strangers call themselves, never passes the parser of markup:
// `esc` leaves a mark in its place, and the text goes into the parsed nodes as text.

import { $ } from "./page.js";

const PLAIN = /^[\w .,:;()+/=%-]*$/;
const MARK = /\ue000(\d+)\ue001/g;
const texts = [];
const numbers = new Map();

/** A text for a place in markup, in an element or in an attribute. */
export function esc(text) {
  text = String(text);
  if (PLAIN.test(text)) return text;
  if (!numbers.has(text)) numbers.set(text, texts.push(text) - 1);
  return `\ue000${numbers.get(text)}\ue001`;
}

const meant = (marked) => marked.replace(MARK, (_, number) => texts[number]);

function parsed(html) {
  const fresh = document.createElement("template");
  fresh.innerHTML = html;
  if (!html.includes("\ue000")) return fresh.content;
  const walker = document.createTreeWalker(fresh.content, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.nodeType === Node.TEXT_NODE) {
      if (node.data.includes("\ue000")) node.data = meant(node.data);
    } else {
      for (const attribute of node.attributes) if (attribute.value.includes("\ue000")) attribute.value = meant(attribute.value);
    }
  }
  return fresh.content;
}

/** Writes an element's content at once. */
export function fill(element, html) {
  element.replaceChildren(parsed(html));
}

const drawn = new Map();
/** Whether the element that had the focus has gone since it was last asked. */
let lost = false;

export function lostFocus() {
  const was = lost;
  lost = false;
  return was;
}

/** Forgets the texts of long ago; to be called before all regions are written. */
export function tidy() {
  if (texts.length < 4000) return;
  texts.length = 0;
  numbers.clear();
  drawn.clear();
}

/** Writes a region, if it is not what it should be. */
export function put(id, html) {
  if (drawn.get(id) === html) return;
  drawn.set(id, html);
  const region = $(id);
  const active = document.activeElement;
  const inside = active !== region && region.contains(active);
  patch(region, parsed(html));
  if (inside && !region.contains(active)) lost = true;
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

// --- what is told beside the drawing ---

/** For screen readers. */
export function say(message) {
  say.last = message;
  const line = document.createElement("p");
  line.textContent = message;
  $("say").append(line);
  while ($("say").children.length > 12) $("say").firstChild.remove();
}

/** A banner above the table; the empty text takes it away. */
export function complain(message) {
  fill(
    $("alert"),
    message ? `<div class="banner"><p>${esc(message)}</p><button type="button" class="round" data-do="dismiss" aria-label="Dismiss">×</button></div>` : "",
  );
}

/** A line under the hand, for eye and ear. */
export function explain(message) {
  $("why").textContent = "";
  // A status that is set to the same text again is not read again.
  requestAnimationFrame(() => ($("why").textContent = message.charAt(0).toUpperCase() + message.slice(1)));
}
