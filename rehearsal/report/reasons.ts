import type { PodFact } from "./schema";

/** What the scheduler appends about preemption and device claims says nothing new about a cluster that is full. */
const APPENDIX = /[.,]? *(no new claims to deallocate|preemption:).*$/s;

/** A scheduler's reason without its appendix. */
export function shortReason(reason: string | null): string {
  return (reason ?? "nothing").replace(APPENDIX, "").trim();
}

/** The different reasons of these pods, each once; with how many pods share it where there are several. */
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
