import { connect, podsIn } from "../../../../components/core/connections";
import { addon } from "../../../../stacks/addons/addon";
import type { Rule } from "../../../../stacks/config/core/rule";
import { type NotesConfig, notesSecrets, notesSection } from "./config";

const PODS = podsIn("notes");

const poolExists: Rule<{ readonly notes: NotesConfig | undefined }> = function* ({ sections: { notes }, declared }) {
  if (notes && !declared.pools.includes(notes.pool)) {
    yield { path: ["notes", "pool"], value: notes.pool, allowed: "a name under pools", fix: "name one of them" };
  }
};

/** An add-on with every part that the contract has. */
export const notes = addon({
  key: "notes",
  componentName: "made-up",
  section: notesSection,
  secrets: notesSecrets,
  requiredSecrets: { notesToken: "notes are nobody else's" },
  settings: (section) => section,
  rules: [poolExists],
  problems: ({ settings, plan }) => {
    const nodes = plan.pools.find(({ name }) => name === settings.pool)?.maxNodes ?? 0;
    return settings.nodes > nodes
      ? [
          {
            severity: "mandatory",
            rule: "notes-room",
            subject: "notes.nodes",
            message: `${settings.pool} has ${nodes}`,
          },
        ]
      : [];
  },
  advice: ({ settings }) => [
    { severity: "advisory", rule: "notes-advice", subject: "notes", message: `open ${settings.hostname}` },
  ],
  services: ({ settings }) => [
    { name: "notes", hostname: settings.hostname, service: "notes", pods: PODS, port: 8080 },
  ],
  targets: () => [{ name: "notes", ...PODS, port: 9100, path: "/metrics" }],
  connections: ({ endpoints, secrets }) =>
    endpoints.map((endpoint) =>
      connect({
        name: `notes-to-model-${endpoint.model}`,
        reason: `Notes are summarized${secrets.notesToken ? ", with a token" : ""}`,
        from: PODS,
        to: endpoint,
        ports: Object.values(endpoint.ports),
      }),
    ),
  alerts: [
    {
      subject: "notes",
      recording: [
        {
          record: "notes:written:sum",
          expr: "sum(notes_written)",
          about: "Notes that were written.",
          cases: { gives: { series: { notes_written: "1x5" }, at: "5m", samples: { "notes:written:sum": 1 } } },
        },
      ],
      alerts: [],
    },
  ],
  dashboards: [{ uid: "notes", title: "Notes", description: "Notes.", rows: [], variables: [] }],
  load: () => import("./build"),
});
