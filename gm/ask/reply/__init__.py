"""From the text of a model to a value, and the JSON schema sent with a question.

``extract`` finds the data, ``parse`` validates them against ``gm.model.replies`` and the size limits, ``importance``
reads numbers from 1 to 10, ``rating`` and ``direction`` read the two short answers.
"""
