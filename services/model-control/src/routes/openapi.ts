import swagger from "@fastify/swagger";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";
import type { OpenAPIV3_1 } from "openapi-types";
import { z } from "zod";
import packageFile from "../../package.json";
import { PROBLEM_TYPE } from "./problem";
import type { Server } from "./surroundings";

type Description = Partial<OpenAPIV3_1.Document>;

declare module "fastify" {
  interface FastifyContextConfig {
    /** Path in the description, if the router's path has a wildcard for `model`. */
    describedUrl?: string;
  }
}

/** Additional responses of every route with a token. */
const SECURITY = [{ token: [] }];

/** Describes routes registered afterwards. */
export async function describeApi(server: Server): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Model control API",
        version: packageFile.version,
        description: `${packageFile.description} Errors are RFC 9457 problems (\`${PROBLEM_TYPE}\`) with a stable \`code\`.`,
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      tags: [
        { name: "models", description: "Pull, watch, load, unload and delete models" },
        { name: "tasks", description: "What takes its time" },
        { name: "inference", description: "Have a model answer, and collect the answer later" },
        { name: "workers", description: "Stop and start the engines" },
        { name: "service", description: "The API itself" },
      ],
      components: {
        securitySchemes: {
          token: {
            type: "http",
            scheme: "bearer",
            description:
              "A token with the scope `read` for GET, `pull` for that and for POST /models/pull, `infer` for /inference, and `operate` for everything; answers are their asker's alone",
          },
        },
      },
    },
    transform: (document) => {
      const { describedUrl, scope } = document.route.config ?? {};
      const { schema } = jsonSchemaTransform(document);
      const described = { ...schema, ...(scope === "anyone" ? {} : { security: SECURITY }) };
      if (describedUrl === undefined) {
        return { schema: described, url: document.url };
      }
      return { schema: { ...described, params: renameWildcard(schema.params) }, url: describedUrl };
    },
    transformObject: (document) =>
      withOptionalBodies(withoutUnused(jsonSchemaTransformObject(document) as Description)),
  });
}

/** Route of the description. Public: it reveals only the allowed registries. */
export function openapiRoute(server: Server): void {
  server.get(
    "/openapi.json",
    {
      config: { scope: "anyone" },
      schema: {
        tags: ["service"],
        summary: "This description",
        operationId: "describe",
        response: { 200: z.looseObject({ openapi: z.string() }).meta({ id: "Description" }) },
      },
    },
    async () => ({ ...server.swagger(), openapi: "3.1.0" }),
  );
}

/** Schemas exist in an input and an output variant; removes unreferenced ones. */
function withoutUnused(document: Description): Description {
  const text = JSON.stringify(document);
  const schemas = Object.entries(document.components?.schemas ?? {});
  const used = schemas.filter(([name]) => text.includes(`"#/components/schemas/${name}"`));
  if (used.length === schemas.length) {
    return document;
  }
  // Repeats, as a removal may leave others unreferenced.
  return withoutUnused({ ...document, components: { ...document.components, schemas: Object.fromEntries(used) } });
}

/** Marks nullable bodies as optional; the framework's plugin marks every body as required. */
function withOptionalBodies(document: Description): Description {
  for (const path of Object.values(document.paths ?? {})) {
    const body = path?.post?.requestBody;
    if (body === undefined || "$ref" in body) {
      continue;
    }
    const schema = body.content["application/json"]?.schema;
    if (
      schema !== undefined &&
      "anyOf" in schema &&
      schema.anyOf?.some((one) => "type" in one && one.type === "null")
    ) {
      body.required = false;
    }
  }
  return document;
}

/** The router names the rest of the path `*`. */
function renameWildcard(params: unknown): unknown {
  const text = JSON.stringify(params).replaceAll('"*"', '"model"');
  return JSON.parse(text);
}
