# METADATA
# title: policyd
# description: >-
#   Every package below judges facts of one schema, so that a misspelt fact fails `policyd check`.
#   The schema is generated from api/v1.
# scope: subpackages
# schemas:
#   - input: schema.facts
package policyd
