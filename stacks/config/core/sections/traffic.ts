import { z } from "zod";
import { wholeNumber } from "./fields";

export const trafficSchema = z
  .strictObject({
    requestsPerSecond: z.number().min(0.0001).max(100_000).meta({
      description:
        "Requests of all clients on average while it is busy, for all replicas together. replicas and concurrency follow from it where the file does not say them.",
      unit: "requests/s",
      example: 2,
    }),
    peakFactor: z.number().min(1).max(100).default(2).meta({
      description: "How many times requestsPerSecond come at the peak, which replicas are planned for.",
      unit: "times",
      example: 2,
    }),
    inputTokens: wholeNumber(1, 16_777_216).default(1000).meta({
      description: "Tokens of a prompt on average, with its system prompt and the conversation so far.",
      unit: "tokens",
      example: 1000,
    }),
    outputTokens: wholeNumber(1, 16_777_216).default(300).meta({
      description: "Average tokens of an answer, reasoning included.",
      unit: "tokens",
      example: 300,
    }),
    sharedPrefixTokens: wholeNumber(0, 16_777_216).default(0).meta({
      description:
        "Of inputTokens, those at the beginning that are the same in all requests, such as a system prompt: engines keep them.",
      unit: "tokens",
      example: 400,
    }),
    lengthVariation: z.number().min(0).max(5).default(1).meta({
      description:
        "How much prompts and answers differ in length: the standard deviation as part of the mean. 0.1 for lengths that are nearly fixed, 1 for chats.",
      unit: "times the mean",
      example: 1,
    }),
  })
  .optional()
  .meta({
    description:
      "What clients ask of the model: its replicas and its concurrency follow from it where the file does not say them. Only of models that make tokens.",
    example: { requestsPerSecond: 2, inputTokens: 1000, outputTokens: 300 },
  });
