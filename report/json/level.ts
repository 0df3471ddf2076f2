import { z } from "zod";
import { PERCENTILES } from "../../planner/service-level";
import { amount, count } from "./fields";

/** What is promised of a model, what clients ask of it, and what its replicas keep. */
export const serviceLevel = z
  .strictObject({
    availability: amount(
      "fraction of requests",
      "To be answered without an error of the server, over 30 days.",
    ).optional(),
    ttftMs: amount("ms", "Longest time to the first token.").optional(),
    tpotMs: amount("ms", "Longest time for each further token.").optional(),
    tokensPerSecond: amount("tokens/s", "Fewest tokens that each answer gets in a second after its first.").optional(),
    percentile: z
      .literal(PERCENTILES)
      .optional()
      .meta({ description: "How many requests must keep to the times.", unit: "percent of requests" }),
    confidence: amount("fraction", "How sure the plan must be of the times.").optional(),
  })
  .meta({ description: "What the environment declares of how the model answers." });

export const availability = z
  .strictObject({
    promised: amount("fraction of requests", "The highest promise of the models of its server."),
    expected: amount("fraction of time", "In which enough replicas are there, at the uptimes of the pool."),
    replicas: count("replicas", "Replicas that always run, or that the traffic brings."),
    needed: count("replicas", "Of them, those that the traffic needs."),
    apart: z
      .strictObject({
        nodes: count("nodes", "On so many nodes at least; 1: wherever there is room."),
        zones: count("zones", "In so many zones at least."),
        zoneNames: z.array(z.string()).optional().meta({
          description:
            "Zones of the pool that pods are restricted to; absent where they are not known, or `zones` is 1.",
        }),
      })
      .meta({ description: "How far apart they are kept." }),
    left: z
      .strictObject({
        node: count("replicas", "When the node with most of them is lost, and not their head."),
        zone: count("replicas", "When the zone with most of them is lost, and not their head."),
        head: z.literal(0).optional().meta({
          description:
            "When the node or zone of the head that keeps them together is lost: they answer for a while, and none is counted. Absent where there is no head.",
          unit: "replicas",
        }),
      })
      .meta({ description: "Replicas that are left." }),
    keptInZones: count(
      "zones",
      "Where the promise is not kept: nodes of the pool in so many would keep it, with as many replicas.",
    ).optional(),
    uptime: z
      .strictObject({
        node: amount("fraction", "Of a month in which one machine is there."),
        zone: amount("fraction", "The same of one zone."),
        region: amount("fraction", "The same of what all zones share."),
        volume: amount("fraction", "The same of one volume."),
      })
      .meta({ description: "What the figures rest on (docs/availability.md)." }),
  })
  .meta({ description: "What its replicas keep of its promised availability; absent where none is promised." });

export const traffic = z
  .strictObject({
    requestsPerSecond: amount("requests/s", "Of all clients on average, for all replicas together."),
    peakFactor: amount("times", "How many times that come at the peak."),
    inputTokens: amount("tokens", "Of a prompt on average."),
    outputTokens: amount("tokens", "Of an answer on average."),
    sharedPrefixTokens: amount("tokens", "Of the prompt's, those that all requests share."),
    lengthVariation: amount("times the mean", "Standard deviation of the lengths."),
  })
  .meta({ description: "What the environment declares of what clients ask." });
