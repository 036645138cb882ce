/** Renders the page of the OpenAPI document: collapsed operations by tag, then the schemas that they use. */
import { h, type ComponentChild } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Content, OpenApi, Operation } from './document.ts';
import { prose } from './prose.ts';
import { anchorOf, field, Fields, typeWords } from './schema-view.ts';

type OperationWithPath = Operation & { method: string; path: string };

/** @param styles the stylesheet, exactly the text whose hash is in the content security policy */
export function renderPage(document: OpenApi, styles: string): string {
  const { info, servers, tags, components } = document;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): OperationWithPath => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );
  const page = h('html', { lang: 'en' }, [
    h('head', null, [
      h('meta', { charset: 'utf-8' }),
      h('title', null, `${info.title} API`),
      h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
      h('style', { dangerouslySetInnerHTML: { __html: styles } }),
    ]),
    h('body', null, [
      h('header', null, [
        h('h1', null, `${info.title} API`),
        h('div', { class: 'prose' }, prose(info.description)),
        h('p', null, [
          `Served at ${servers[0]?.url ?? ''}. Machine-readable OpenAPI document: `,
          h('a', { href: '/api/schema/' }, '/api/schema/'),
        ]),
        h(
          'nav',
          { 'aria-label': 'Subjects' },
          tags.map(({ name }) => [h('a', { href: `#tag-${name}` }, name), ' ']),
        ),
      ]),
      h('main', null, [
        ...tags.map(({ name }) =>
          h('section', { id: `tag-${name}` }, [
            h('h2', null, name),
            operations.filter((operationWithPath) => operationWithPath.tags.includes(name)).map(operationView),
          ]),
        ),
        h('section', { id: 'schemas' }, [
          h('h2', null, 'Schemas'),
          Object.entries(components.schemas).map(([name, schema]) =>
            h('div', { id: anchorOf(name), class: 'schema' }, [
              h('h3', null, name),
              schema.description && h('div', { class: 'prose' }, prose(schema.description)),
              !schema.properties && h('p', { class: 'type' }, typeWords(schema)),
              h(Fields, { schema }),
            ]),
          ),
        ]),
      ]),
    ]),
  ]);
  return `<!doctype html>${renderToString(page)}`;
}

function operationView(operation: OperationWithPath): ComponentChild {
  const { operationId, method, path, summary, description, parameters, requestBody, responses } = operation;
  return h('details', { id: operationId }, [
    h('summary', null, [
      h('span', { class: 'method' }, method),
      ' ',
      h('code', null, path),
      ' ',
      h('span', { class: 'summary' }, summary),
    ]),
    description && h('div', { class: 'prose' }, prose(description)),
    parameters.length > 0 && [
      h('h4', null, 'Parameters'),
      h(
        'ul',
        { class: 'fields' },
        parameters.map((parameter) =>
          field(
            parameter.name,
            { ...parameter.schema, ...(parameter.description && { description: parameter.description }) },
            parameter.required === true,
            parameter.in,
          ),
        ),
      ),
    ],
    requestBody && [h('h4', null, 'Body'), contentView(requestBody.content)],
    h('h4', null, 'Responses'),
    Object.entries(responses).map(([status, answer]) =>
      h('div', { class: 'answer' }, [
        h('b', null, status),
        ` ${answer.description}`,
        // Errors are left out, because all have the same body.
        Number(status) < 400 && answer.content && contentView(answer.content),
      ]),
    ),
  ]);
}

function contentView(content: Content): ComponentChild {
  return Object.entries(content).map(([mediaType, { schema, example }]) => [
    h('p', { class: 'type' }, [mediaType, schema && [': ', typeWords(schema)]]),
    schema && h(Fields, { schema }),
    example !== undefined && h('pre', { tabindex: 0 }, JSON.stringify(example, null, 2)),
  ]);
}
