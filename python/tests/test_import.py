"""What importing the package does."""


def test_version():
    import freelane

    assert freelane.__version__
