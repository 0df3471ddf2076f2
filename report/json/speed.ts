/** How fast a model answers, and what its tokens cost: keys of `plan --json`. */
import { z } from "zod";
import { amount, count, flag, oneOf, text, usd } from "./fields";

const interval = (unit: string, description: string) =>
  z
    .strictObject({
      expected: amount(unit, "By the prediction."),
      low: amount(unit, "Lower end at the confidence."),
      high: amount(unit, "Upper end at the confidence."),
    })
    .meta({ description });

const times = (description: string) =>
  z
    .strictObject({
      mean: interval("ms", "On average."),
      p99: interval("ms", "Of the unluckiest in a hundred."),
    })
    .meta({ description });

export const speed = z
  .strictObject({
    load: oneOf(
      ["traffic", "concurrency"],
      "Its traffic at the peak, or as many requests at once as `concurrency` says.",
    ),
    inputTokens: amount("tokens", "Of a prompt on average."),
    outputTokens: amount("tokens", "Of an answer on average."),
    inFlight: amount("requests", "Under way in one replica then."),
    tokenMs: times("Time for each token after the first."),
    firstTokenMs: times("Time to the first token, in the engine: what gateways and clients add is not in it."),
    requestsPerSecond: interval("requests/s", "Answered by one replica then."),
    tokensPerSecond: interval("tokens/s", "Written by one replica then."),
    capacity: z
      .strictObject({
        requestsPerSecond: amount("requests/s", "At the level's confidence: what the plan counts on."),
        expected: amount("requests/s", "By the prediction."),
      })
      .optional()
      .meta({ description: "Most that one replica answers within the service level; only with traffic." }),
    headroom: amount("fraction", "Of the capacity, what the peak leaves free; below 0 where it exceeds it.").optional(),
    neededReplicas: count("replicas", "That the peak needs.").optional(),
    sure: flag(
      "The planned replicas keep the level at confidence 0.95 too; only with traffic or a level of times.",
    ).optional(),
    limitedBy: oneOf(
      [
        "weights",
        "kv-reads",
        "compute",
        "prefill",
        "kv-capacity",
        "all-reduce",
        "pipeline",
        "overhead",
        "max-num-seqs",
      ],
      "What keeps a replica from being faster.",
    ),
    saturated: flag("Requests wait for room: the time to the first token is that of a queue."),
    exchangeMs: z
      .strictObject({
        gpus: amount("ms", "Between GPUs that share layers."),
        stages: amount("ms", "Between pipeline stages and their nodes."),
      })
      .meta({ description: "Of each token's time, what exchange adds." }),
    confidence: amount("fraction", "Part of the cases in which a measurement is meant to be between low and high."),
    basis: oneOf(
      ["own", "same-card-and-engine", "same-card", "unseen-card"],
      "What the prediction rests on, the best first: measurements of one's own, of the card and engine, of the card, or of others.",
    ),
    simulated: flag("The times are a simulation's, of requests that come at random."),
    why: text("Why it is no smaller layout that would fit as well.").optional(),
  })
  .meta({ description: "How fast one replica answers; absent where it is unknown (`noSpeed`)." });

export const tokenPrice = z
  .strictObject({
    usdPerMillionTokens: usd(
      "At its traffic, input and output counted alike, with as many replicas as answer it on average; absent without traffic, and where no planned number of replicas answers it.",
    ).optional(),
    atCapacityUsdPerMillionTokens: usd("As if its replicas were always as busy as they may be.").optional(),
    apis: z
      .array(
        z.strictObject({
          provider: text("Who sells it."),
          offer: text("Its name there."),
          inputUsdPerMillion: usd("For a million tokens of prompts."),
          outputUsdPerMillion: usd("For a million tokens of answers."),
          asOf: text("Day of the price."),
          source: text("Where it was read; `apiPrices of the environment` where that says it."),
          usdPerMillionTokens: usd("For the same mix of input and output."),
          breakEvenPerSecond: amount("requests/s", "On average while they run, from which its own machines cost less."),
          isReachable: flag("The planned replicas answer so many."),
        }),
      )
      .meta({ description: "What public APIs ask for the same model, cheapest first." }),
  })
  .meta({
    description:
      "What its tokens cost while its replicas run: those that always do, and those that its traffic needs in addition.",
  });
