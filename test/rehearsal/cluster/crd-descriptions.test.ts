import { expect, it } from "vitest";
import { parse } from "yaml";
import { withoutDescriptions } from "../../../rehearsal/cluster/crd-descriptions";

const DEFINITION = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  versions:
  - additionalPrinterColumns:
    - description: In the column's own item
      name: Age
    schema:
      openAPIV3Schema:
        description: |-
          One line.

          Another: with a colon.
        properties:
          description:
            description: A field of that name, whose text goes on
              in the next line.
            type: string
          quoted:
            description: 'Said to be
              "quoted".'
            type: string
        required:
        - description
        type: object
`;

it("leaves all of a schema but its descriptions: fields, and columns, of that name too", () => {
  expect(parse(withoutDescriptions(DEFINITION))).toEqual({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    spec: {
      versions: [
        {
          additionalPrinterColumns: [{ description: "In the column's own item", name: "Age" }],
          schema: {
            openAPIV3Schema: {
              properties: { description: { type: "string" }, quoted: { type: "string" } },
              required: ["description"],
              type: "object",
            },
          },
        },
      ],
    },
  });
});
