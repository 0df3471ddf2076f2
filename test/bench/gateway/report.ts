import { pairedRatio, summarize } from "../statistics";
import { megabytes, milliseconds, type Table, times } from "../table";
import type { BodiesHeld } from "./bodies";
import type { GatewayLoad, GatewayRound } from "./requests";

/** Medians over the rounds; of loads of one kind, the first is what the others are compared with, round by round. */
export function requestsTable(loads: readonly GatewayLoad[]): Table {
  return {
    title: `through the gateway, ${loads[0]?.rounds.length ?? 0} rounds; added and × against the first way with the same requests`,
    columns: [
      "asked",
      "connections",
      "answers per second",
      "p50",
      "p99",
      "first byte adds",
      "p99 adds",
      "rate",
      "Envoy CPU per 1,000",
      "filter CPU per 1,000",
    ],
    rows: loads.map((load) => {
      const first = loads.find((each) => each.kind === load.kind && each.connections === load.connections) ?? load;
      const each = (of: (round: GatewayRound) => number) => load.rounds.map(of);
      const median = (of: (round: GatewayRound) => number) => summarize(each(of)).median;
      const added = (of: (round: GatewayRound) => number) =>
        summarize(load.rounds.map((round, index) => of(round) - of(first.rounds[index] ?? round))).median;
      const perThousand = (of: (round: GatewayRound) => number) => (median(of) / load.requests) * 1000;
      return [
        `${load.kind}: ${load.way}`,
        String(load.connections),
        median(rate).toFixed(0),
        milliseconds(median(p50)),
        milliseconds(median(p99)),
        load === first ? "" : milliseconds(added(firstByte)),
        load === first ? "" : milliseconds(added(p99)),
        times(pairedRatio(each(rate), first.rounds.map(rate))),
        load === first ? "" : `${perThousand(envoyCpu).toFixed(2)} s`,
        load === first ? "" : `${perThousand(filterCpu).toFixed(2)} s`,
      ];
    }),
  };
}

/** What each body adds is the slope between the row before and this one. */
export function bodiesTable(limitMiB: number, held: readonly BodiesHeld[]): Table {
  return {
    title: `memory of a proxy that holds bodies of ${limitMiB} MiB`,
    columns: ["bodies", "Envoy", "filter", "Envoy, bodies' size each", "filter, bodies' size each"],
    rows: held.map((now, index) => {
      const before = held[index - 1];
      const each = (of: (held: BodiesHeld) => number) =>
        before === undefined ? "" : times((of(now) - of(before)) / (now.bodies - before.bodies) / (limitMiB * 2 ** 20));
      return [
        String(now.bodies),
        megabytes(now.envoyBytes),
        megabytes(now.filterBytes),
        each(({ envoyBytes }) => envoyBytes),
        each(({ filterBytes }) => filterBytes),
      ];
    }),
  };
}

const rate = ({ perSecond }: GatewayRound) => perSecond;
const p50 = ({ p50Seconds }: GatewayRound) => p50Seconds;
const p99 = ({ p99Seconds }: GatewayRound) => p99Seconds;
const firstByte = ({ firstByteSeconds }: GatewayRound) => firstByteSeconds;
const envoyCpu = ({ envoyCpuSeconds }: GatewayRound) => envoyCpuSeconds;
const filterCpu = ({ filterCpuSeconds }: GatewayRound) => filterCpuSeconds;
