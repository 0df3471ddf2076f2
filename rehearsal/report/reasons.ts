import type { PodFact } from "./schema";

/** Scheduler's suffix about preemption and device claims, redundant on a full cluster. */
const APPENDIX = /[.,]? *(no new claims to deallocate|preemption:).*$/s;

/** Scheduler's reason without that suffix. */
export function shortReason(reason: string | null): string {
  return (reason ?? "nothing").replace(APPENDIX, "").trim();
}

/** Distinct reasons of these pods, with counts if several. */
export function reasonsOf(pods: readonly PodFact[]): string {
  const counts = new Map<string, number>();
  for (const { waitsFor } of pods) {
    const reason = shortReason(waitsFor);
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  if (counts.size === 1) {
    return [...counts.keys()].join();
  }
  return [...counts].map(([reason, count]) => `${count} × ${reason}`).join("; ");
}
