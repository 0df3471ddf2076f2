/** Series in promtool's notation, one sample a minute. */

/** So many minutes of one value; `stale`: the target is gone, as Prometheus marks it. */
export type Span = readonly [minutes: number, value: number | "stale" | "_"];

/** A gauge. */
export function gauge(...spans: readonly Span[]): string {
  return spans.map(([minutes, value]) => span(minutes, value)).join(" ");
}

/** `1x2` are three samples, `_x2` are two that are not there. */
function span(minutes: number, value: Span[1]): string {
  if (value === "_") {
    return `_x${minutes}`;
  }
  return minutes > 1 && value !== "stale" ? `${value}x${minutes - 1}` : String(value);
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
