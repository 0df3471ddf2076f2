import type { ModelPlan } from "../../planner/types";
import { html, type Markup } from "./markup";

/**
 * Distinct muted fills, dark enough for white letters (4.5:1). They repeat; the letter identifies
 * models.
 */
export const MODEL_COLORS = [
  "#3868a3",
  "#9a5b2c",
  "#3f7352",
  "#82559a",
  "#a1485a",
  "#2f7480",
  "#6d6a2e",
  "#5b5fa8",
] as const;

export interface ModelKey {
  /** A, B, …, Z, AA, AB, … */
  readonly letter: string;
  readonly className: string;
}

/** Letter and colour of each model, by name, in the plan's order. */
export function modelKeys(models: readonly ModelPlan[]): ReadonlyMap<string, ModelKey> {
  return new Map(models.map((m, i) => [m.name, { letter: letterOf(i), className: `m${i % MODEL_COLORS.length}` }]));
}

export function keyChip(key: ModelKey | undefined): Markup | undefined {
  return key && html`<span class="key ${key.className}" aria-hidden="true">${key.letter}</span>`;
}

function letterOf(index: number): string {
  const before = Math.floor(index / 26);
  return `${before > 0 ? letterOf(before - 1) : ""}${String.fromCharCode(65 + (index % 26))}`;
}
