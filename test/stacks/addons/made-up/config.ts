import { z } from "zod";
import { dnsLabel, hostname, wholeNumber } from "../../../../stacks/config/core/sections/fields";

export const notesSection = z
  .strictObject({
    pool: dnsLabel(40).meta({ description: "Pool that the notes run on.", example: "system" }),
    nodes: wholeNumber(1, 9).default(1).meta({ description: "Nodes that they need.", unit: "nodes", example: 2 }),
    hostname: hostname.meta({ description: "Public name of the notes.", example: "notes.example.com" }),
  })
  .optional()
  .meta({
    description: "A made-up add-on. Default: not installed.",
    example: { pool: "system", hostname: "notes.example.com" },
  });

export type NotesConfig = NonNullable<z.output<typeof notesSection>>;

export const notesSecrets = {
  notesToken: z.string().regex(/^\S+$/).optional().meta({ description: "Token of the notes.", allowed: "no spaces" }),
};

export type NotesSecret = keyof typeof notesSecrets;
