// The same agent in JavaScript: `cardenvs match euchre "exec:node examples/agents/agent.mjs" random`.
// One line of JSON comes for each decision, one goes back.
import { createInterface } from "node:readline";

const RANKS = "23456789TJQKA";

function choose({ legal, observation }) {
  const cards = legal.filter((action) => action.length === 2 && RANKS.includes(action[0]));
  if (cards.length === 0) return legal[0];
  const follows = Object.keys(observation).some((part) => part.startsWith("trick_"));
  const height = (card) => RANKS.indexOf(card[0]) * (follows ? -1 : 1);
  return cards.reduce((best, card) => (height(card) > height(best) ? card : best));
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") console.log(JSON.stringify({ type: "ready", name: "low and high" }));
  else if (message.type === "decide") console.log(JSON.stringify({ action: choose(message) }));
  else process.exit(0);
});
