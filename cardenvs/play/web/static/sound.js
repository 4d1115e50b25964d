// Sounds, made on the spot: a card on cloth, a trick taken, one's turn, the end of a deal. Off unless asked for.

import { remembered } from "./page.js";

let context = null;

function ready() {
  if (!remembered.sound || typeof AudioContext === "undefined") return null;
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume().catch(() => {});
  return context;
}

/** A soft tone; pitch in hertz, start and length in seconds. */
function tone(pitch, start, length, loud) {
  const oscillator = context.createOscillator();
  const gain = context.createGain();
  const from = context.currentTime + start;
  oscillator.type = "sine";
  oscillator.frequency.value = pitch;
  gain.gain.setValueAtTime(0, from);
  gain.gain.linearRampToValueAtTime(loud, from + 0.015);
  gain.gain.exponentialRampToValueAtTime(0.0001, from + length);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(from);
  oscillator.stop(from + length);
}

/** A short rustle, as of a card that is laid down. */
function rustle(start, length, loud) {
  const size = Math.ceil(context.sampleRate * length);
  const buffer = context.createBuffer(1, size, context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let k = 0; k < size; k++) samples[k] = (Math.random() * 2 - 1) * (1 - k / size) ** 3;
  const source = context.createBufferSource();
  const filter = context.createBiquadFilter();
  const gain = context.createGain();
  source.buffer = buffer;
  filter.type = "bandpass";
  filter.frequency.value = 1800;
  gain.gain.value = loud;
  source.connect(filter).connect(gain).connect(context.destination);
  source.start(context.currentTime + start);
}

const SOUNDS = {
  card: () => rustle(0, 0.07, 0.5),
  deal: () => [0, 1, 2, 3, 4].forEach((k) => rustle(k * 0.06, 0.05, 0.35)),
  trick: () => rustle(0, 0.16, 0.4),
  turn: () => tone(660, 0, 0.18, 0.06),
  over: () => [523, 659, 784].forEach((pitch, k) => tone(pitch, k * 0.11, 0.35, 0.06)),
};

export function sound(name) {
  if (ready()) SOUNDS[name]();
}
