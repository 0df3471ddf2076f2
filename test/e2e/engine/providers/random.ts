import { createHash, randomBytes } from "node:crypto";
import { serveGenerated } from "./generated";

/** Stands in for the official `random` provider. */
serveGenerated("4.21.2", {
  "random:index/randomId:RandomId": ({ byteLength }) => {
    const bytes = randomBytes(Number(byteLength));
    return { hex: bytes.toString("hex"), b64Url: bytes.toString("base64url"), b64Std: bytes.toString("base64") };
  },
  "random:index/randomPassword:RandomPassword": ({ length, special }) => {
    const text = randomBytes(4 * Number(length)).toString("base64url");
    const result = (special === false ? text.replace(/[-_]/g, "") : text).slice(0, Number(length));
    return { result, bcryptHash: `$2a$10$${createHash("sha256").update(result).digest("hex").slice(0, 53)}` };
  },
});
