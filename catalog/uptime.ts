import type { Provider } from "./shapes";
import table from "./uptime.json";

/** What a model depends on, the smallest first; the store's volume; a bucket instead. */
export const UPTIME_OF = ["node", "zone", "region", "volume", "bucket"] as const;

/** How often one thing is there. */
export interface UptimeEntry {
  readonly provider: Provider;
  readonly of: (typeof UPTIME_OF)[number];
  /** Part of a month, 0 to 1. */
  readonly fraction: number;
  readonly confidence: "read" | "assumed";
  /** Day of the agreement, or of the judgement. */
  readonly asOf: string;
  readonly source: string;
}

// Checked against catalog/schema by test/catalog.
export const uptimeEntries = table.uptime as readonly UptimeEntry[];

/** Share of a month that machines are available: node ≤ zone ≤ region. */
export type Uptime = Readonly<Record<Exclude<UptimeEntry["of"], "bucket">, number>>;

export function uptimeOf(provider: Provider): Uptime {
  const fraction = (of: UptimeEntry["of"]) => {
    const found = fractionOf(provider, of);
    if (found === undefined) {
      throw new Error(`catalog/uptime.json has no ${of} of ${provider}`);
    }
    return found;
  };
  return { node: fraction("node"), zone: fraction("zone"), region: fraction("region"), volume: fraction("volume") };
}

/** Part of a month in which a provider's object storage answers. Undefined where it has none. */
export function bucketUptime(provider: Provider): number | undefined {
  return fractionOf(provider, "bucket");
}

function fractionOf(provider: Provider, of: UptimeEntry["of"]): number | undefined {
  return uptimeEntries.find((each) => each.provider === provider && each.of === of)?.fraction;
}
