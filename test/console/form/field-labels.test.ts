/** Sentences of the API in the form: with the labels that stand on the page. */
import assert from 'node:assert/strict';
import { fieldWords, withLabels } from '../../../console/src/exports/words/field.ts';

const FIELDS = [
  { name: 'table_name', title: 'Table' },
  { name: 'region', title: 'Region' },
];

describe('a field in a sentence of the API', () => {
  it('has the label of the form, whether it is in quotes or not', () => {
    assert.equal(withLabels('Give another table_name.', FIELDS), 'Give another Table.');
    assert.equal(withLabels("'table_name' is empty.", FIELDS), 'Table is empty.');
  });

  it('stays a word where it may be one, and a name that the form does not have stays', () => {
    assert.equal(withLabels('The bucket is in another region.', FIELDS), 'The bucket is in another region.');
    assert.equal(withLabels('Use `other_name`.', FIELDS), 'Use `other_name`.');
  });

  it('is named without what only programs need', () => {
    assert.equal(fieldWords('destination__config__bucket_name'), 'bucket');
    assert.equal(fieldWords('destination__config__aws_access_key_id'), 'aws access key id');
  });
});
