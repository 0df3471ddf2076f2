/** Series in promtool's notation, one sample a minute. */

/** So many minutes of one value; `stale`: the target is gone, as Prometheus marks it. */
export type Span = readonly [minutes: number, value: number | "stale" | "_"];

/** A gauge. */
export function gauge(...spans: readonly Span[]): string {
  return spans
    .map(([minutes, value]) => (minutes > 1 && value !== "stale" ? `${value}x${minutes - 1}` : String(value)))
    .join(" ");
}

/** A counter that grows by so much a minute, from the first one on. */
export function counter(...spans: readonly (readonly [minutes: number, perMinute: number])[]): string {
  let at = 0;
  return spans
    .map(([minutes, perMinute]) => {
      const first = at + perMinute;
      at += perMinute * minutes;
      return `${first}+${perMinute}x${minutes - 1}`;
    })
    .join(" ");
}

/** The same, so many times over. */
export function times<T>(count: number, spans: readonly T[]): T[] {
  return Array.from({ length: count }, () => spans).flat();
}
