/**
 * Joins the OpenAPI documents of the features (docs/openapi) and makes the page's types from them, `src/gen/api.ts`:
 * `node ui/gen.mjs [FILE]`. With a file, the joined document is written there too.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';

const folder = path.join(import.meta.dirname, '../docs/openapi');
const documents = readdirSync(folder).map((file) => JSON.parse(readFileSync(path.join(folder, file), 'utf8')));
const shared = documents.find((document) => document.openapi);
const joined = { ...shared, paths: {} };
for (const { paths = {}, components } of documents) {
  for (const [name, methods] of Object.entries(paths)) joined.paths[name] = { ...joined.paths[name], ...methods };
  Object.assign(joined.components.schemas, components?.schemas);
}
if (process.argv[2]) writeFileSync(process.argv[2], JSON.stringify(joined));
const types = await openapiTS(joined, { defaultNonNullable: false });
writeFileSync(path.join(import.meta.dirname, 'src/gen/api.ts'), `// Made by ui/gen.mjs from docs/openapi.\n${astToString(types)}`);
