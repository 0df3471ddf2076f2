/** `transform`: patches of resources without a key. */
import { z } from "zod";
import { text } from "./fields";

/** Segments special to JavaScript, in no data of ours. */
const POINTER = /^(?!.*\/(?:__proto__|constructor|prototype)(?:\/|$))(\/(?:[^/~\p{Cc}]|~0|~1)+)+$/u;

const patchSchema = z.strictObject({
  op: z.enum(["add", "replace", "remove"]).meta({
    description: "What is done, as in JSON Patch: replace and remove need that something is there.",
    example: "add",
  }),
  path: z.string().max(512).regex(POINTER).meta({
    description: "Where in the resource, as a JSON Pointer: / in a key is ~1, - is the end of a list.",
    allowed: "a JSON Pointer, such as /spec/template/spec/hostAliases",
    example: "/spec/template/spec/shareProcessNamespace",
  }),
  value: z.unknown().optional().meta({ description: "What is put there; not with remove.", example: true }),
});

export const transformSection = z
  .array(
    z.strictObject({
      kind: text(63)
        .regex(/^[A-Z][A-Za-z0-9]*$/)
        .meta({
          description: "Kind of the resource; Release for a chart, whose values can be patched.",
          allowed: "a kind, such as Deployment",
          example: "Deployment",
        }),
      resource: text(253).meta({
        description: "Its name in the program, as `npm run plan -- <environment> --resources` prints it.",
        example: "platform-models-chat-server-deployment",
      }),
      reason: text(512).meta({
        description: "Reason, shown in the plan.",
        example: "a debugger shares the engine's processes",
      }),
      patches: z
        .array(patchSchema)
        .min(1)
        .max(32)
        .meta({
          description: "What is changed, in this order.",
          example: [{ op: "add", path: "/spec/template/spec/shareProcessNamespace", value: true }],
        }),
    }),
  )
  .max(64)
  .default([])
  .meta({
    description:
      "Patches of single resources of the platform, for what no key covers. Plan, policies and rendered files see the result (docs/transform.md).",
    example: [
      {
        kind: "Deployment",
        resource: "platform-models-chat-server-deployment",
        reason: "a debugger shares the engine's processes",
        patches: [{ op: "add", path: "/spec/template/spec/shareProcessNamespace", value: true }],
      },
    ],
  });
